import { AppError } from './errors';

/** Finds card numbers in fields that must not contain one. */

/** The ranges of the card schemes, and the lengths of their numbers. */
const schemes: readonly [range: RegExp, lengths: readonly number[]][] = [
  // Visa
  [/^4/, [13, 16, 19]],
  // Mastercard
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  // American Express
  [/^3[47]/, [15]],
  // Diners Club
  [/^3(?:0[0-5]|095|[689])/, [14, 15, 16, 17, 18, 19]],
  // JCB
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  // Discover, UnionPay, RuPay and Maestro
  [/^(?:50|5[6-8]|6)/, [13, 14, 15, 16, 17, 18, 19]],
  // Mir, RuPay, UnionPay and Troy
  [/^(?:220[0-4]|8[12]|9792)/, [16, 17, 18, 19]],
];
const [shortest, longest] = [13, 19];

/** Random ids. One UUID in 4,000 contains a card number among its digits, and a payment's token nearly as often. */
const randomIds = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{24,}/gi;
/** A fraction, which JavaScript can write with as many digits as a card number. */
const fractionText = /^\d{0,3}\.\d+$/;
/** Groups of digits with any separators. People write telephone numbers with a plus sign. */
const digitGroups = /\+?\d+(?:[^\p{L}\p{N}]{1,3}\d+)*/gu;
const telephoneDigitsMax = 15;

/**
 * Refuses a card number outside the card fields of a payment, for example in a name or in metadata, so that none is
 * stored or logged by accident. Only numbers in a card scheme's range that pass the Luhn check count.
 */
export function refuseCardNumbers(fields: Record<string, unknown>, allowed: readonly string[]): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!allowed.includes(name) && holdsCardNumber(value))
      throw new AppError('card_number_refused', { errors: { [name]: `The ${name} must not hold a card number.` } });
  }
}

export function holdsCardNumber(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.entries(value).flat().some(holdsCardNumber);
  if (typeof value === 'number') return holdsCardNumber(String(value));
  if (typeof value !== 'string' || value.length < shortest || fractionText.test(value)) return false;
  return textHoldsCardNumber(value) || (/[<&]/.test(value) && textHoldsCardNumber(shownText(value)));
}

function textHoldsCardNumber(value: string): boolean {
  const groups = asciiDigits(value).replace(randomIds, ' ').match(digitGroups) ?? [];
  return groups.some((text) => !isTelephoneNumber(text) && joinsToCardNumber(text.match(/\d+/g) ?? []));
}

/** Tags that a browser shows without a gap. Cells, list items and paragraphs separate numbers. */
const inlineTags =
  /<\/?(?:a|abbr|b|bdi|bdo|big|cite|code|em|font|i|ins|kbd|mark|s|samp|small|span|strong|sub|sup|tt|u|var|wbr)(?:\s[^<>]{0,200})?\/?>/gi;
const lineBreaks = /<br(?:\s[^<>]{0,200})?\/?>/gi;
const comments = /<!--[^<>]{0,200}-->/g;
const references =
  /&(?:#(\d{1,7})|#x([\da-f]{1,6})|nbsp|ensp|emsp|thinsp|shy|zwj|zwnj|ndash|mdash|hyphen|period|sol);?/gi;

/** The text that a browser shows for HTML. */
function shownText(value: string): string {
  return value
    .replaceAll(comments, '')
    .replaceAll(inlineTags, '')
    .replaceAll(lineBreaks, '\n')
    .replaceAll(references, (_whole, decimal?: string, hex?: string) => characterOf(decimal, hex));
}

/** The character of a numeric reference. A space, if it is none, or if the reference has a name. */
function characterOf(decimal?: string, hex?: string): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? '20', 16) : Number(decimal);
  return code > 0x10_ffff ? ' ' : String.fromCodePoint(code);
}

/** Full-width digits, and those of other alphabets, as 0 to 9. */
function asciiDigits(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)));
}

/** The ten digits of an alphabet follow each other, from zero on. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  if (code <= 0x39) return code - 0x30;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}

const isTelephoneNumber = (text: string) =>
  text.startsWith('+') && text.replaceAll(/\D/g, '').length <= telephoneDigitsMax;

/** Whether consecutive groups form a card number. Other numbers may come before and after it. */
function joinsToCardNumber(groups: readonly string[]): boolean {
  return groups.some((_group, first) => {
    let digits = '';
    for (const group of groups.slice(first, first + longest)) {
      digits += group;
      if (digits.length > longest) return false;
      if (isCardNumber(digits)) return true;
    }
    return false;
  });
}

function isCardNumber(digits: string): boolean {
  if (digits.length < shortest) return false;
  return (
    schemes.some(([range, lengths]) => lengths.includes(digits.length) && range.test(digits)) && passesLuhn(digits)
  );
}

export function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
