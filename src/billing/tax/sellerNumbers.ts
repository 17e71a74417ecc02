import { type Registration } from './decision';
import { countryOfTaxNumber, hasKnownForm, isTaxNumber, normalTaxNumber, plainTaxNumber, prefixOf } from './numbers';
import { provincesWithTax, taxCountryOf, unionCountries } from './places';

/** The tax numbers of a seller, as invoices name them. Without I/O and Node modules. */

/** Numbers of the one stop shop for sellers outside of the Union, and of the import scheme. */
const schemeForms = { oss: /^EU\d{9}$/, ioss: /^IM\d{10}$/ } as const;

/** The number of a small business that is exempt in other member states: `DE136695976-EX`. */
const exemptForm = /^([A-Z]{2})[A-Z0-9]{2,13}EX$/;

/** Numbers that are no VAT numbers: of tax offices in Germany and Hungary, of Japan's qualified invoices and of Quebec's tax. */
const localForms: Readonly<Record<string, RegExp>> = {
  DE: /^(\d{10,11}|\d{13})$/,
  HU: /^\d{11}$/,
  JP: /^T\d{13}$/,
  'CA-QC': /^(NR\d{8}|\d{10}TQ\d{4})$/,
};

/** The number of a business in Northern Ireland that trades in goods with the Union: a British number with other letters. */
const northernIreland = 'XI';

/** A number of a tax office, with which a small business without a VAT number is exempt. */
const officeForm = /^\d{5,14}$/;

/**
 * The number of a tax profile. A valid number of the country is normalised. Any other, such as that of a tax office, stays as
 * it was entered. Undefined for a false one: it begins as a VAT number of the country, and is none.
 */
export function sellerTaxNumber(country: string, entered: string): string | undefined {
  const normal = normalTaxNumber(country, entered);
  if (isTaxNumber(country, normal)) return normal;
  const isFalse = hasKnownForm(country) && /\d/.test(entered) && plainTaxNumber(entered).startsWith(prefixOf(country));
  return isFalse ? undefined : entered.trim();
}

/**
 * The number of a registration, in the form in which its country writes it on invoices. Undefined for a number that the
 * country or the scheme does not give. A number of a country whose form is not known stays as it was entered.
 */
export function registeredNumber({ country, region, scheme }: Registration, entered: string): string | undefined {
  const plain = plainTaxNumber(entered);
  if (plain === '') return '';
  if (scheme === 'ioss') return schemeForms.ioss.test(plain) ? plain : undefined;
  if (scheme === 'oss' && schemeForms.oss.test(plain)) return plain;
  if (scheme === 'exempt' && isExemptNumber(plain)) return `${plain.slice(0, -2)}-EX`;
  const normal = normalTaxNumber(country, entered);
  if (isTaxNumber(country, normal)) return written(country, normal);
  if (country === 'GB' && plain.startsWith(northernIreland)) return irishNumber(plain);
  const local = localForms[region ?? ''] ?? localForms[country];
  if (local?.test(plain) === true || (scheme === 'exempt' && officeForm.test(plain)))
    return entered.trim().toUpperCase();
  const isUnknown = !hasKnownForm(country) || (region !== undefined && provincesWithTax.has(region));
  return isUnknown && local === undefined && countryOfTaxNumber(plain) === undefined
    ? entered.trim().toUpperCase()
    : undefined;
}

function irishNumber(plain: string): string | undefined {
  const digits = plain.slice(northernIreland.length);
  return isTaxNumber('GB', normalTaxNumber('GB', digits)) ? plain : undefined;
}

const isExemptNumber = (plain: string) => {
  const [, prefix = ''] = exemptForm.exec(plain) ?? [];
  return [...unionCountries].some((country) => prefixOf(country) === prefix);
};

/** Outside of Europe, numbers are written without the letters of the country. */
function written(country: string, normal: string): string {
  return prefixed.has(taxCountryOf(country)) ? normal : normal.slice(prefixOf(country).length);
}

const prefixed: ReadonlySet<string> = new Set([...unionCountries, 'CH', 'GB']);
