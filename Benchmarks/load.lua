-- The requests of one measurement, for wrk:  wrk … -s Benchmarks/load.lua URL -- NAME
--
-- Every request is formatted once, before the load starts, so that wrk does the same little work for
-- each server. The last line that it prints is `NAME requests/s p50 p99 errors`, times in microseconds.

local VALUE = string.rep("v", 256)
local KEYS = 1000

local requests = {}

local function base64(text)
  local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
  local out = {}
  for i = 1, #text, 3 do
    local a, b, c = text:byte(i, i + 2)
    local bits = a * 65536 + (b or 0) * 256 + (c or 0)
    for place = 3, 0, -1 do
      local digit = math.floor(bits / 64 ^ place) % 64
      out[#out + 1] = (place == 1 and not b or place == 0 and not c) and "=" or digits:sub(digit + 1, digit + 1)
    end
  end
  return table.concat(out)
end

local function get(path)
  return { wrk.format("GET", path) }
end

-- One request for each of the keys; `make` answers its path and its body.
local function writes(method, contentType, make)
  local all = {}
  for i = 1, KEYS do
    local path, body = make(string.format("%04d", i))
    all[i] = wrk.format(method, path, { ["Content-Type"] = contentType }, body)
  end
  return all
end

-- What etcd's API offers is the same on both servers; the name of a measurement begins with the server's.
local function v2put()
  return writes("PUT", "application/x-www-form-urlencoded", function(number)
    return "/v2/keys/bench-" .. number, "value=" .. VALUE
  end)
end

local function v3range()
  local body = string.format('{"key":"%s"}', base64("/bench"))
  return { wrk.format("POST", "/v3/kv/range", { ["Content-Type"] = "application/json" }, body) }
end

local function v3put()
  return writes("POST", "application/json", function(number)
    local key = base64("/bench-" .. number)
    return "/v3/kv/put", string.format('{"key":"%s","value":"%s"}', key, base64(VALUE))
  end)
end

local measurements = {
  ["v2-get"] = function() return get("/v2/keys/bench") end,
  ["v2-put"] = v2put,
  ["v3-range"] = v3range,
  ["v3-put"] = v3put,
  ["get"] = function() return get("/v1/default/keys/bench") end,
  ["get-raw"] = function() return get("/v1/default/keys/bench?raw") end,
  ["put"] = function()
    return writes("PUT", "text/plain", function(number) return "/v1/default/keys/bench-" .. number, VALUE end)
  end,
}

function init(args)
  measurement = args[1] -- global, so that `done` can ask for it
  requests = measurements[measurement:gsub("^%a+%-", "")]()
  math.randomseed(1)
end

function request()
  return requests[math.random(#requests)]
end

function setup(thread)
  wrk.thread = thread
end

-- `done` runs in another Lua state than `init`, which is asked for the name.
function done(summary, latency)
  local errors = summary.errors
  print(string.format("%s %.1f %d %d %d",
    wrk.thread:get("measurement"), summary.requests / summary.duration * 1e6,
    latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
