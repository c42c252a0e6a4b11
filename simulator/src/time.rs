//! Milliseconds since 1970 as the two date formats of the wire.

const DAY_MS: i64 = 86_400_000;

struct Civil {
    year: i64,
    month: i64,
    day: i64,
    weekday: usize,
    ms: i64,
}

/// Days to a date in the Gregorian calendar, counting years from March so that a leap day ends one.
fn civil(ms: f64) -> Civil {
    let ms = if ms.is_finite() { ms.clamp(-6.2e13, 2.5e14) as i64 } else { 0 };
    let days = ms.div_euclid(DAY_MS);
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    Civil {
        year: era * 400 + year_of_era + i64::from(month <= 2),
        month,
        day: day_of_year - (153 * month_from_march + 2) / 5 + 1,
        weekday: (days + 4).rem_euclid(7) as usize,
        ms: ms.rem_euclid(DAY_MS),
    }
}

/// `2024-04-13T18:30:00.000Z`, the format of every date in a JSON body.
pub(crate) fn iso(ms: f64) -> String {
    let c = civil(ms);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        c.year,
        c.month,
        c.day,
        c.ms / 3_600_000,
        c.ms / 60_000 % 60,
        c.ms / 1_000 % 60,
        c.ms % 1_000
    )
}

/// `Sat, 13 Apr 2024 18:30:00 GMT`, the format of a date in a header.
pub(crate) fn http_date(ms: f64) -> String {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let c = civil(ms);
    format!(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
        DAYS.get(c.weekday).unwrap_or(&"Sun"),
        c.day,
        MONTHS.get((c.month - 1) as usize).unwrap_or(&"Jan"),
        c.year,
        c.ms / 3_600_000,
        c.ms / 60_000 % 60,
        c.ms / 1_000 % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_the_wire_has_them() {
        assert_eq!(iso(0.0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso(1_713_033_000_123.0), "2024-04-13T18:30:00.123Z");
        assert_eq!(iso(951_782_400_000.0), "2000-02-29T00:00:00.000Z");
        assert_eq!(http_date(1_713_033_000_123.0), "Sat, 13 Apr 2024 18:30:00 GMT");
        assert_eq!(iso(f64::NAN), "1970-01-01T00:00:00.000Z");
    }
}
