//! What a person types → a validated plan (args, plan, run); no work happens here.
