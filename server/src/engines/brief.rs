//! A brief: sections of lines within a budget of tokens, the most binding first, and what was left out said.

use std::fmt::Write;

pub struct Section {
    pub heading: &'static str,
    /// Most important first.
    pub lines: Vec<String>,
}

pub struct Brief {
    pub markdown: String,
    pub tokens: u32,
    /// How many lines of each section it has.
    pub given: Vec<usize>,
    pub omitted: usize,
}

/// The first sections may take what they need; each of the others at first no more than its share, so that a long list of
/// one thing does not hide all others.
pub fn brief(title: &str, sections: &[Section], unshared: usize, budget: u32, count: &dyn Fn(&str) -> u32) -> Brief {
    /// What the words between the lines may come to.
    const FRAME: u32 = 40;
    let costs: Vec<Vec<u32>> = sections.iter().map(|section| section.lines.iter().map(|line| count(line) + 1).collect()).collect();
    let mut left = budget.saturating_sub(count(title) + FRAME);
    let mut given = vec![0; sections.len()];
    let take = |given: &mut usize, costs: &[u32], most: u32, heading: &str| {
        let mut spent = 0;
        while let Some(cost) = costs.get(*given) {
            let cost = if *given == 0 { cost + count(heading) + 4 } else { *cost };
            if spent + cost > most {
                break;
            }
            spent += cost;
            *given += 1;
        }
        spent
    };
    for (n, section) in sections.iter().enumerate() {
        let share = if n < unshared { left } else { left / 3 };
        left -= take(&mut given[n], &costs[n], share, section.heading);
    }
    for (n, section) in sections.iter().enumerate() {
        left -= take(&mut given[n], &costs[n], left, section.heading);
    }
    let whole = |given: &[usize]| written(title, sections, given) + &not_begun(sections, given);
    let mut markdown = whole(&given);
    // The words between the lines may come to more than was set aside for them.
    while count(&markdown) > budget
        && let Some(last) = given.iter_mut().rev().find(|given| **given > 0)
    {
        *last -= 1;
        markdown = whole(&given);
    }
    // Where not even that has room, the number that is left out has to say it.
    if count(&markdown) > budget {
        markdown = written(title, sections, &given);
    }
    // A heading over nothing is worth no more than was asked for.
    if count(&markdown) > budget {
        markdown.clear();
    }
    let omitted = sections.iter().zip(&given).map(|(section, given)| section.lines.len() - given).sum();
    Brief { tokens: count(&markdown), markdown, given, omitted }
}

fn written(title: &str, sections: &[Section], given: &[usize]) -> String {
    let mut markdown = format!("{title}\n");
    for (section, &given) in sections.iter().zip(given) {
        if given == 0 {
            continue;
        }
        let _ = writeln!(markdown, "\n## {}", section.heading);
        for line in &section.lines[..given] {
            let _ = writeln!(markdown, "- {line}");
        }
        if given < section.lines.len() {
            let _ = writeln!(markdown, "- … and {} more; recall them", section.lines.len() - given);
        }
    }
    markdown
}

/// Sections of which not a line had room: whoever reads on should know that they are there.
fn not_begun(sections: &[Section], given: &[usize]) -> String {
    let hidden = sections.iter().zip(given).filter(|(section, given)| **given == 0 && !section.lines.is_empty());
    let names: Vec<String> = hidden.map(|(section, _)| format!("{} ({})", section.heading, section.lines.len())).collect();
    if names.is_empty() { String::new() } else { format!("\nNo room for: {}.\n", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> u32 {
        u32::try_from(text.split_whitespace().count()).unwrap()
    }

    fn lines(word: &str, count: usize) -> Vec<String> {
        (0..count).map(|n| format!("{word} number {n} says something")).collect()
    }

    #[test]
    fn a_long_section_hides_no_other_and_the_budget_holds() {
        let sections = [
            Section { heading: "Next step", lines: lines("step", 1) },
            Section { heading: "Decisions", lines: lines("decision", 200) },
            Section { heading: "Pitfalls", lines: lines("pitfall", 5) },
        ];
        for budget in [0, 1, 2, 5, 60, 120, 300, 2000] {
            let brief = brief("# Brief", &sections, 1, budget, &words);
            assert!(brief.tokens <= budget, "{} of {budget}: {}", brief.tokens, brief.markdown);
            assert_eq!(brief.omitted, 206 - brief.given.iter().sum::<usize>());
            if budget >= 120 {
                assert!(brief.given.iter().all(|given| *given > 0), "{:?}", brief.given);
            }
        }
        let tight = brief("# Brief", &sections, 1, 48, &words);
        assert!(
            tight.given.contains(&0)
                && tight.markdown.contains("No room for: ")
                && tight.markdown.contains("Decisions (200), Pitfalls (5)."),
            "{}",
            tight.markdown
        );
        let all = brief("# Brief", &sections, 1, 100_000, &words);
        assert_eq!((all.given, all.omitted), (vec![1, 200, 5], 0));
    }
}
