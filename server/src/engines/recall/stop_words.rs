//! Words that are in every text and every question, and so tell none from another.

use hashbrown::HashSet;
use std::sync::LazyLock;

/// Asked for every word of every text that is read or compared.
pub fn is_stop_word(word: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split(' ').collect());
    word.len() <= LONGEST && KNOWN.contains(word)
}

const LONGEST: usize = 10;

const WORDS: &str = "\
a about above after again all also am an and any are aren as at be because been before being below between \
both but by can could couldn did didn do does doesn doing don down during each few for from further had hadn \
has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just \
ll me more most my myself no nor not now of off on once only or other our ours ourselves out over own re same \
she should shouldn so some such than that the their theirs them themselves then there these they this those \
through to too under until up ve very was wasn we were weren what when where which while who whom why will \
with would wouldn you your yours yourself yourselves";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_one_word_of_no_more_than_the_longest() {
        assert!(WORDS.split(' ').all(|word| !word.is_empty() && word.len() <= LONGEST && is_stop_word(word)));
        assert!(!is_stop_word("") && !is_stop_word("deploy"));
    }
}
