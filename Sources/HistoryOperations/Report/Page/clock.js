// Calendar of the page: the reader's time zone, or UTC. Times are milliseconds since 1970.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const HOUR = 3600e3;
const two = (value) => String(value).padStart(2, "0");

const clock = {
  local: false,

  get zone() {
    return clock.local ? Intl.DateTimeFormat().resolvedOptions().timeZone ?? "local" : "UTC";
  },

  parts(time) {
    const date = new Date(time);
    return clock.local
      ? [date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds(), date.getDay()]
      : [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(),
        date.getUTCSeconds(), date.getUTCDay()];
  },

  time(year, month, day, hour = 0) {
    const date = new Date(0);
    if (clock.local) {
      date.setFullYear(year, month, day);
      date.setHours(hour, 0, 0, 0);
    } else {
      date.setUTCFullYear(year, month, day);
      date.setUTCHours(hour, 0, 0, 0);
    }
    return date.getTime();
  },

  date(time) {
    const [year, month, day] = clock.parts(time);
    return `${year}-${two(month + 1)}-${two(day)}`;
  },

  second(time) {
    const [, , , hour, minute, second] = clock.parts(time);
    return `${two(hour)}:${two(minute)}:${two(second)}`;
  },

  // The beginning of the period that a time is in.
  floor(time, level) {
    const [year, month, day, hour, , , weekday] = clock.parts(time);
    switch (level) {
      // Hours that are repeated when clocks go back stay apart.
      case "hour": return Math.floor(time / HOUR) * HOUR;
      case "day": return clock.time(year, month, day);
      case "week": return clock.time(year, month, day - ((weekday + 6) % 7));
      case "month": return clock.time(year, month, 1);
      default: return clock.time(year, 0, 1);
    }
  },

  next(time, level) {
    const [year, month, day] = clock.parts(time);
    switch (level) {
      case "hour": return time + HOUR;
      case "day": return clock.time(year, month, day + 1);
      case "week": return clock.time(year, month, day + 7);
      case "month": return clock.time(year, month + 1, 1);
      default: return clock.time(year + 1, 0, 1);
    }
  },

  // A period in words: "Fri 20 Nov 2026", "week of 16 Nov 2026".
  period(start, level) {
    const [year, month, day, hour, minute, , weekday] = clock.parts(start);
    const date = `${day} ${MONTHS[month]} ${year}`;
    switch (level) {
      case "hour": return `${WEEKDAYS[(weekday + 6) % 7]} ${date}, ${two(hour)}:${two(minute)}`;
      case "day": return `${WEEKDAYS[(weekday + 6) % 7]} ${date}`;
      case "week": return `week of ${date}`;
      case "month": return `${MONTHS[month]} ${year}`;
      default: return String(year);
    }
  },

  shortDate(time) {
    const [year, month, day] = clock.parts(time);
    return `${day} ${MONTHS[month]} ${year}`;
  },

  range(from, to) {
    const whole = from === clock.floor(from, "day") && to === clock.floor(to, "day");
    if (!whole) {
      const minutes = (time) => clock.second(time).slice(0, 5);
      const same = clock.date(from) === clock.date(to - 1);
      return `${clock.shortDate(from)} ${minutes(from)} \u2013 ${same ? "" : `${clock.shortDate(to)} `}${minutes(to)}`;
    }
    const [first, last] = [clock.shortDate(from), clock.shortDate(to - 1)];
    return first === last ? first : `${first} \u2013 ${last}`;
  },
};

// A time of the data is in microseconds; one outside of what a number holds is text.
const milliseconds = (time) => (typeof time === "number" ? time / 1000 : null);

function moment(time) {
  if (time === null || time === undefined) return "no time";
  if (typeof time === "string") return visible(time);
  const at = milliseconds(time);
  return Math.abs(at) > 8.64e15 ? "no usable time" : `${clock.date(at)} ${clock.second(at)}`;
}
