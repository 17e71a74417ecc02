import { type registerFieldEndpoints } from '../../accounts/registerFields.endpoints';
import { type Html, html } from '../../kit/html';
import { type RowOf } from '../layout/answers';
import { type Complaint } from '../layout/explain';
import { checkbox, field, type FieldOptions, radios, select, textarea } from '../layout/forms';
import { type Texts } from '../layout/texts';

/** The merchant's registration fields. A form sends them as `metadata[name]`. */

export type Fields = Record<string, string | undefined>;

export const metadataName = (name: string) => `metadata.${name}`;

/** The values of nested fields, by name in the form. */
export function flatten(fields: Record<string, unknown>): Fields {
  const metadata = (fields['metadata'] ?? {}) as Record<string, string>;
  const nested = Object.entries(metadata).map(([name, value]) => [metadataName(name), value]);
  return { ...(fields as Fields), ...(Object.fromEntries(nested) as Fields) };
}

export type RegisterField = RowOf<typeof registerFieldEndpoints.listRegisterFields>;

/** A field of the type that the merchant has set. Its value is sent as `metadata[name]`. */
export function registerFieldInput(
  texts: Texts,
  registerField: RegisterField,
  values: Fields,
  complaint: Complaint | undefined,
): Html {
  const { name, label, required, default_value, placeholder, options, type } = registerField;
  const known = metadataName(name);
  const untyped: Omit<FieldOptions, 'type'> = {
    name: `metadata[${name}]`,
    label,
    value: values[known] ?? default_value,
    isRequired: required,
    complaint,
    alsoNamed: [known, name],
    ...(placeholder !== '' && { placeholder }),
  };
  const choices = Object.entries(options);
  if (type === 'textarea') return textarea(texts, untyped);
  if (type === 'checkbox') return checkbox({ ...untyped, isChecked: values[known] === 'true', value: 'true' });
  if (type === 'radio')
    return radios({
      ...untyped,
      choices: choices.map(([value, text]) => ({ value, content: html`<span>${text}</span>` })),
    });
  if (type === 'country')
    return select(texts, { ...untyped, autocomplete: 'country', choices: [['', ''], ...countries(texts.language)] });
  if (type === 'select' || (type === 'us_state' && choices.length > 0))
    return select(texts, { ...untyped, choices: [['', ''], ...choices] });
  return field(texts, { ...untyped, type: type === 'datepicker' ? 'date' : 'text' });
}

/** All countries, with their names in the language of the page. */
export function countries(language: string): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const known = codes.flatMap((code) => {
    const name = names.of(code);
    return name === undefined || notCountries.has(code) ? [] : [[code, name] as const];
  });
  return known.sort(([, one], [, other]) => one.localeCompare(other, language));
}

/** Codes that have a name but are not countries: groups, former countries, placeholders. */
const notCountries = new Set([
  'EU',
  'EZ',
  'UN',
  'QO',
  'ZZ',
  'XA',
  'XB',
  'AC',
  'CP',
  'DG',
  'EA',
  'IC',
  'TA',
  'AN',
  'CS',
  'DD',
  'FX',
  'SU',
  'YU',
  'ZR',
  'TP',
  'BU',
  'NT',
  'YD',
  'CQ',
  'HV',
  'DY',
  'NH',
  'RH',
  'VD',
  'UK',
]);
