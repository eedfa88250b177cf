//! Forges, registries and what builds and ships code.

use crate::rule::{Rule, rule};

pub(super) const RULES: [Rule; 20] = [
    rule("cairn-key", "Key of an agent of Cairn", &["cairn_"], "(cairn_[a-f0-9]{32}_[A-Za-z0-9_-]{16,})"),
    rule("github-token", "GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "(gh[pousr]_[A-Za-z0-9]{36,})").entropy(3.0),
    rule("github-fine-grained-token", "GitHub fine-grained token", &["github_pat_"], "(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
    rule(
        "gitlab-token",
        "GitLab token",
        &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glffct-", "GR1348941"],
        "((?:gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-(?:t[0-9]_)?|GR1348941)[A-Za-z0-9_-]{20,}(?:\\.[a-z0-9.]{8,24})?)",
    )
    .entropy(3.0),
    rule(
        "atlassian-token",
        "Atlassian or Bitbucket token",
        &["ATATT3", "ATCTT3", "ATBB"],
        "(AT[AC]TT3[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32})",
    ),
    rule("npm-token", "npm token", &["npm_"], "(npm_[A-Za-z0-9]{36})").entropy(3.0),
    rule("pypi-token", "PyPI token", &["pypi-AgE"], "(pypi-AgE[A-Za-z0-9_-]{60,})"),
    rule("crates-io-token", "token of the Rust registry", &["cio"], "(cio[A-Za-z0-9]{32})").random(true),
    rule("rubygems-key", "RubyGems API key", &["rubygems_"], "(rubygems_[a-f0-9]{48})"),
    rule("nuget-key", "NuGet API key", &["oy2"], "(oy2[a-z0-9]{43})").random(true),
    rule("docker-token", "Docker Hub token", &["dckr_pat_", "dckr_oat_"], "(dckr_[po]at_[A-Za-z0-9_-]{27,60})").entropy(3.0),
    rule("jfrog-key", "JFrog key", &["AKCp"], "(AKCp[A-Za-z0-9]{64,80})"),
    rule("circleci-token", "CircleCI token", &["CCIPAT_", "CCIPRJ_"], "(CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40})"),
    rule("buildkite-token", "Buildkite token", &["bkua_", "bkct_"], "(bk(?:ua|ct)_[A-Za-z0-9]{40,64})"),
    rule("sentry-token", "Sentry token", &["sntrys_", "sntryu_"], "(sntryu_[a-f0-9]{64}|sntrys_eyJ[A-Za-z0-9+/=_-]{60,})").reach(500),
    rule("sonar-token", "SonarQube token", &["sqp_", "squ_", "sqa_"], "(sq[pua]_[a-f0-9]{40})"),
    rule("postman-key", "Postman key", &["PMAK-"], "(PMAK-[a-f0-9]{24}-[a-f0-9]{34})"),
    rule("sourcegraph-token", "Sourcegraph token", &["sgp_"], "(sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40})"),
    rule("netlify-token", "Netlify token", &["nfp_"], "(nfp_[A-Za-z0-9]{36,40})"),
    rule("launchdarkly-key", "LaunchDarkly key", &["sdk-"], "(sdk-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})"),
];
