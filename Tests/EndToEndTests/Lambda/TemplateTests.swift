import AWSTestSupport
import Foundation
import Testing

/// What is deployed to AWS, judged without AWS.
@Suite("Templates for deployment", DeploymentPrograms.areAvailable)
struct TemplateTests {
    @Test("The SAM template is valid, and makes what it should with every choice of parameters")
    func sam() async throws {
        try await Sandbox.with { sandbox in
            let result = try await DeploymentPrograms.run(
                "check_sam.py", [DeploymentPrograms.file("deploy/sam/template.yaml")], in: sandbox)
            #expect(result.status == 0, "\(result.output)\(result.error)")
        }
    }

    @Test("The Terraform module is applied, changes nothing the second time, and is destroyed")
    func terraform() async throws {
        try await Sandbox.with { sandbox in
            let ministack = try await Ministack.shared()
            // What the functions do does not matter here.
            let zip = try await sandbox.bash(
                "printf '#!/bin/sh\\nexit 1\\n' > bootstrap && chmod +x bootstrap && python3 -m zipfile -c any.zip bootstrap"
            )
            #expect(zip.status == 0, "\(zip.error)")
            let result = try await DeploymentPrograms.run(
                "check_terraform.py",
                [DeploymentPrograms.file("deploy/terraform"), ministack.url, sandbox.folder.path + "/any.zip"],
                in: sandbox)
            if result.status == 77 { try Test.cancel(Comment(rawValue: result.line)) }
            #expect(result.status == 0, "\(result.output)\(result.error)")
        }
    }
}
