import AWSClient
import DiscfgCore

extension Table {
    /// The `DiscfgError` for an error of AWS: the problem, in AWS's own words, and a hint.
    func translate(_ failure: AWSError) -> DiscfgError {
        // The advice is given once, as the hint.
        var error = failure
        error.hint = nil
        if error.mayHaveTakenEffect {
            return DiscfgError(
                .outcomeUnknown, "DynamoDB did not say whether the write took effect: \(error).",
                hint: "See with “discfg history” whether it did.", cause: error
            ).overHTTP("See in the history whether it did.")
        }
        switch error.code {
        case .resourceNotFound:
            return DiscfgError(
                .storeUnusable, "There is no DynamoDB table “\(name)” in \(region).",
                hint: "Create it with “discfg store init”, or check --store and the region.", cause: error)
        case .noCredentials, .brokenCredentials, .invalidConfiguration:
            return DiscfgError(.storeUnusable, error.message, hint: failure.hint, cause: error)
        case "AccessDeniedException":
            return DiscfgError(
                .storeUnusable, "AWS does not allow that: \(error).",
                hint: "docs/iam.md has the policies that discfg needs.", cause: error)
        case "UnrecognizedClientException", "InvalidSignatureException", "InvalidClientTokenId",
            "ExpiredTokenException",
            "MissingAuthenticationTokenException", "IncompleteSignatureException":
            return DiscfgError(
                .storeUnusable, "AWS does not accept the credentials: \(error).",
                hint: "Check the key with “aws sts get-caller-identity”.", cause: error)
        case .noAnswer:
            return DiscfgError(
                .storeUnavailable, "DynamoDB in \(region) did not answer. \(error.message)",
                hint: failure.hint
                    ?? "Check the network, the region and the endpoint: --store, AWS_REGION, AWS_ENDPOINT_URL.",
                cause: error)
        case .validation where error.message.contains("size"):
            return DiscfgError(.tooLarge, "DynamoDB does not take that much at once: \(error).", cause: error)
        case .validation:
            return DiscfgError(.internalError, "DynamoDB did not understand discfg: \(error).", cause: error)
        default:
            let reasons = error.throttlingReasons
            let why = reasons.isEmpty ? "" : " Throttled: \(reasons.joined(separator: ", "))."
            let text = "\(error)"
            return DiscfgError(
                .storeUnavailable, "DynamoDB cannot do that now: \(text)\(text.hasSuffix(".") ? "" : ".")\(why)",
                hint: failure.hint ?? "Try again in a moment; nothing was written.", cause: error)
        }
    }
}
