//! Units, weekdays and months by their names, in English, German, French and Spanish.

pub const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;
const MONTH: f64 = DAY * 365.0 / 12.0;

pub fn adverb(low: &str) -> Option<f64> {
    Some(match low {
        "hourly" | "stundlich" => HOUR,
        "daily" | "nightly" | "taglich" | "quotidien" | "diario" => DAY,
        "weekly" | "wochentlich" | "hebdomadaire" | "semanal" => 7.0 * DAY,
        "fortnightly" | "biweekly" => 14.0 * DAY,
        "monthly" | "monatlich" | "mensuel" | "mensual" => MONTH,
        "quarterly" => 3.0 * MONTH,
        "yearly" | "annually" | "jahrlich" | "annuel" | "anual" => 365.0 * DAY,
        _ => return None,
    })
}

pub fn unit_of_time(low: &str) -> Option<f64> {
    Some(match low {
        "ms" | "millisecond" | "milliseconds" | "millis" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" | "sekunde" | "sekunden" | "seconde" | "secondes" | "segundo" | "segundos" => 1.0,
        "min" | "mins" | "minute" | "minutes" | "minuten" | "minuto" | "minutos" => MINUTE,
        "h" | "hour" | "hours" | "hrs" | "stunde" | "stunden" | "heure" | "heures" | "hora" | "horas" => HOUR,
        "d" | "day" | "days" | "night" | "nights" | "morning" | "tag" | "tage" | "tagen" | "nacht" | "jour" | "jours" | "nuit" | "dia"
        | "dias" => DAY,
        "week" | "weeks" | "sprint" | "woche" | "wochen" | "semaine" | "semaines" | "semana" | "semanas" => 7.0 * DAY,
        "month" | "months" | "monat" | "monate" | "monaten" | "mois" | "mes" | "meses" => MONTH,
        "quarter" | "quarters" | "quartal" => 3.0 * MONTH,
        "year" | "years" | "jahr" | "jahre" | "jahren" | "ans" | "annee" | "annees" | "ano" | "anos" => 365.0 * DAY,
        _ => return None,
    })
}

/// Other measures: what is measured, and how much of its smallest unit it is.
pub fn unit_of_matter(low: &str) -> Option<(&'static str, f64)> {
    Some(match low {
        "mg" => ("weight", 0.001),
        "g" | "gram" | "grams" => ("weight", 1.0),
        "kg" | "kilo" | "kilos" => ("weight", 1000.0),
        "t" | "ton" | "tons" | "tonne" | "tonnes" | "tonnen" => ("weight", 1_000_000.0),
        "mm" => ("length", 1.0),
        "cm" => ("length", 10.0),
        "m" | "metre" | "metres" | "meter" | "meters" => ("length", 1000.0),
        "km" => ("length", 1_000_000.0),
        "c" | "°c" | "celsius" | "degrees" | "degree" | "grad" => ("heat", 1.0),
        "ma" => ("current", 1.0),
        "w" | "watt" | "watts" => ("power", 1.0),
        "kw" => ("power", 1000.0),
        "mbit" | "mbps" => ("rate", 1.0),
        "gbit" | "gbps" => ("rate", 1000.0),
        _ => return None,
    })
}

pub fn is_unit(low: &str) -> bool {
    unit_of_time(low).is_some() || unit_of_size(low).is_some() || is_money(low) || matches!(low, "%" | "percent" | "times")
}

pub fn unit_of_size(low: &str) -> Option<f64> {
    Some(match low {
        "byte" | "bytes" | "octets" => 1.0,
        "kb" | "kib" | "ki" | "kilobytes" => 1024.0,
        "mb" | "mib" | "mi" | "megabytes" => 1024.0 * 1024.0,
        "gb" | "gib" | "gi" | "gigabytes" => 1024.0 * 1024.0 * 1024.0,
        "tb" | "tib" | "ti" | "terabytes" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    })
}

/// How often in a language: "3 times", "drei mal", "una vez".
pub fn is_times(low: &str) -> bool {
    matches!(low, "times" | "mal" | "fois" | "vez" | "veces")
}

pub fn is_money(unit: &str) -> bool {
    matches!(unit, "€" | "$" | "£" | "eur" | "usd" | "gbp" | "euro" | "euros" | "dollar" | "dollars")
}

pub fn weekday(low: &str) -> Option<f64> {
    const DAYS: [&[&str]; 7] = [
        &["monday", "mondays", "montag", "montags", "lundi", "lunes"],
        &["tuesday", "tuesdays", "dienstag", "dienstags", "mardi", "martes"],
        &["wednesday", "wednesdays", "mittwoch", "mittwochs", "mercredi", "miercoles"],
        &["thursday", "thursdays", "donnerstag", "donnerstags", "jeudi", "jueves"],
        &["friday", "fridays", "freitag", "freitags", "vendredi", "viernes"],
        &["saturday", "saturdays", "samstag", "samstags", "samedi", "sabado"],
        &["sunday", "sundays", "sonntag", "sonntags", "dimanche", "domingo"],
    ];
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into_iter().zip(DAYS).find(|(_, names)| names.contains(&low)).map(|(day, _)| day)
}

pub fn month(low: &str) -> Option<f64> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    const OTHERS: [(&str, f64); 17] = [
        ("sept", 9.0),
        ("januar", 1.0),
        ("februar", 2.0),
        ("marz", 3.0),
        ("mai", 5.0),
        ("juni", 6.0),
        ("juli", 7.0),
        ("oktober", 10.0),
        ("dezember", 12.0),
        ("janvier", 1.0),
        ("fevrier", 2.0),
        ("avril", 4.0),
        ("juin", 6.0),
        ("juillet", 7.0),
        ("aout", 8.0),
        ("enero", 1.0),
        ("diciembre", 12.0),
    ];
    const LONG: [&str; 12] =
        ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
    let number = |at: usize| u8::try_from(at + 1).map_or(0.0, f64::from);
    let found = MONTHS.iter().position(|month| *month == low).or_else(|| LONG.iter().position(|month| *month == low)).map(number);
    found.or_else(|| OTHERS.iter().find(|(name, _)| *name == low).map(|(_, month)| *month))
}
