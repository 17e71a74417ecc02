import { html, type Html } from '../../kit/html';
import { instantField, readInstant, zoneField } from '../../kit/pages/zones';
import { localTime } from '../../kit/timeZones';
import { field, type FieldOptions } from './forms';
import { type Texts } from './texts';

/**
 * Fields for instants. They have the clock of the visitor's zone, which a hidden field names, so that the form sends the
 * instant. Another hidden field has the shown instant, so that saving it unchanged does not change it. A day of the calendar,
 * such as a date of birth, has a usual field.
 */

interface TimeOptions extends Omit<FieldOptions, 'type' | 'value'> {
  /** ISO 8601. A text without a zone is shown as it was typed. */
  value?: string | number | undefined;
}

/** A time to the second. */
export function timeField(texts: Texts, options: Omit<TimeOptions, 'hint'>): Html {
  const hint = texts.t('console.fields.zone', { zone: texts.zone.replaceAll('_', ' ') });
  const value = localValue(texts, options.value);
  return zoned(texts, options, field(texts, { ...options, value, hint, type: 'datetime-local', more: { step: '1' } }));
}

/** A day, which means its start. */
export function dayField(texts: Texts, options: TimeOptions): Html {
  const value = localValue(texts, options.value)?.slice(0, 'YYYY-MM-DD'.length);
  return zoned(texts, options, field(texts, { ...options, value, type: 'date' }));
}

function zoned({ zone }: Texts, { name, value }: Pick<TimeOptions, 'name' | 'value'>, input: Html): Html {
  const at = readInstant(value);
  const shown = at && html`<input type="hidden" name="${instantField(name)}" value="${at.toISOString()}" />`;
  return html`${input}<input type="hidden" name="${zoneField(name)}" value="${zone}" />${shown}`;
}

/** A refused form shows a text that is no time as it was sent. */
function localValue({ zone }: Texts, value: string | number | undefined): string | undefined {
  const at = readInstant(value);
  if (at) return localTime(zone, at);
  return value === undefined ? undefined : String(value);
}

/** The day of an instant in the visitor's zone: `2030-01-31`. */
export const localDay = ({ zone }: Texts, at: Date): string => localTime(zone, at).slice(0, 'YYYY-MM-DD'.length);

/** The start of that day, as the value of a field for a time. */
export const startOfDay = (texts: Texts, at: Date): string => `${localDay(texts, at)}T00:00:00`;
