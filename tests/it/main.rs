//! Promises, one file each. Actors speak only HTTP; what they cannot see is looked up behind the scenes.
