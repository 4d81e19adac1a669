//! grep, grep-ident and BM25 over statistics shared by every snapshot of a repository.
