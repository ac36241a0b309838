import AWSClient
import DiscfgCore

extension Table {
    /// What an error of AWS means for discfg: what was wrong, in AWS's own words, and what to do.
    func translate(_ error: AWSError) -> DiscfgError {
        if error.mayHaveTakenEffect {
            return DiscfgError(
                .outcomeUnknown, "DynamoDB did not say whether the write took effect: \(error).",
                hint: "See with “discfg history” whether it did.", cause: error)
        }
        switch error.code {
        case .resourceNotFound:
            return DiscfgError(
                .storeUnusable, "There is no DynamoDB table “\(name)” in \(region).",
                hint: "Make it with “discfg store init”, or check --store and the region.", cause: error)
        case .noCredentials, .brokenCredentials, .invalidConfiguration:
            return DiscfgError(.storeUnusable, error.message, hint: error.hint, cause: error)
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
                hint: error.hint ?? "Nothing was written; try again in a moment.", cause: error)
        }
    }
}
