import { canonicalIban, isIban } from '../../src/kit/ibans';

/** The examples of the registry of ISO 13616. */
const examples = [
  ...['AD1200012030200359100100', 'AT611904300234573201', 'BE68539007547034', 'BG80BNBG96611020345678'],
  ...['CH9300762011623852957', 'CY17002001280000001200527600', 'CZ6508000000192000145399', 'DE89370400440532013000'],
  ...['DK5000400440116243', 'EE382200221020145685', 'ES9121000418450200051332', 'FI2112345600000785'],
  ...[
    'FR1420041010050500013M02606',
    'GB29NWBK60161331926819',
    'GI75NWBK000000007099453',
    'GR1601101250000000012300695',
  ],
  ...['HR1210010051863000160', 'HU42117730161111101800000000', 'IE29AIBK93115212345678', 'IS140159260076545510730339'],
  ...['IT60X0542811101000000123456', 'LI21088100002324013AA', 'LT121000011101001000', 'LU280019400644750000'],
  ...['LV80BANK0000435195001', 'MC5811222000010123456789030', 'MT84MALT011000012345MTLCAST001S', 'NL91ABNA0417164300'],
  ...['NO9386011117947', 'PL61109010140000071219812874', 'PT50000201231234567890154', 'RO49AAAA1B31007593840000'],
  ...['SE4550000000058398257466', 'SI56263300012039086', 'SK3112000000198742637541', 'SM86U0322509800000000270100'],
  'VA59001123000012345678',
];

test.each(examples)('%s is an account number', (iban) => expect(isIban(iban)).toBe(true));

test.each(examples)('%s with another digit or one more is none', (iban) => {
  const last = Number(iban.replaceAll(/\D/g, '').at(-1));
  expect(isIban(iban.replace(/\d(?=\D*$)/, String((last + 1) % 10)))).toBe(false);
  expect(isIban(`${iban}0`)).toBe(false);
  expect(isIban(iban.slice(0, -1))).toBe(false);
});

test.each([
  ['empty', ''],
  ['a country without an account', 'DE'],
  ['another country of the same length', 'GB89370400440532013000'],
  ['a country that takes no direct debits', 'TR330006100519786457841326'],
  ['small letters', 'de89370400440532013000'],
  ['blanks', 'DE89 3704 0044 0532 01300'],
  ['a sign before it', ' DE89370400440532013000'],
  ['letters as check digits', 'DEAB370400440532013000'],
  ['a sign that is no letter', 'DE8937040044053201300-'],
  ['a sign within it', 'DE8937040044053201-000'],
])('%s: no account number', (_, text) => expect(isIban(text)).toBe(false));

test('blanks and dashes are removed, and letters are capital', () =>
  expect(canonicalIban(' de89 3704-0044\t0532 0130 00')).toBe('DE89370400440532013000'));
