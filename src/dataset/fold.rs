//! The two folds of repositories that parameters are chosen and confirmed on (spec: reference harness 9).

/// What a repository outside both folds belongs to.
pub const UNASSIGNED: &str = "unassigned";

/// SHA-256 over the lines `FOLD TAB REPO LF` of [`FOLDS`] in its order: a registration names the folds by it.
pub const FOLD_MAP_SHA256: &str =
    "8d439eb6f7cb2471e90ee905684a0054bce49462859d52db01031f7cabc8f004";

/// Repository and fold, sorted bytewise by repository.
pub const FOLDS: [(&str, &str); 25] = [
    ("HypothesisWorks/hypothesis", "A"),
    ("astral-sh/ruff", "A"),
    ("caddyserver/caddy", "A"),
    ("clap-rs/clap", "B"),
    ("eslint/eslint", "B"),
    ("etcd-io/etcd", "B"),
    ("fastapi/fastapi", "B"),
    ("gin-gonic/gin", "A"),
    ("huggingface/diffusers", "A"),
    ("huggingface/transformers", "B"),
    ("ipython/ipython", "A"),
    ("microsoft/playwright", "A"),
    ("mockito/mockito", "A"),
    ("numpy/numpy", "A"),
    ("pallets/click", "B"),
    ("pydantic/pydantic", "B"),
    ("pypa/pip", "B"),
    ("pytest-dev/pytest", "A"),
    ("python/mypy", "A"),
    ("scrapy/scrapy", "A"),
    ("spring-projects/spring-boot", "B"),
    ("tokio-rs/tokio", "B"),
    ("tox-dev/tox", "B"),
    ("vitejs/vite", "A"),
    ("vuejs/core", "A"),
];

/// The fold of a repository; names are compared case-sensitively.
pub fn fold(repo: &str) -> &'static str {
    match FOLDS.binary_search_by(|(known, _)| (*known).cmp(repo)) {
        Ok(index) => FOLDS[index].1,
        Err(_) => UNASSIGNED,
    }
}
