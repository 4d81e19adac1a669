//! The main job: order the snapshots, drive the arms, keep the journal, show progress, resume.
