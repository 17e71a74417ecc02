import { countryOfTaxNumber, isTaxNumber, normalTaxNumber } from '../../../../src/billing/tax/numbers';

const isValid = (country: string, entered: string) => isTaxNumber(country, normalTaxNumber(country, entered));

/** Numbers of companies as they are published, without the prefix. */
const checked = {
  AT: ['U13585627', 'U10223006'],
  BE: ['0428759497', '0202239951'],
  DE: ['136695976'],
  DK: ['13585628'],
  FI: ['20774740', '01120389'],
  FR: ['40303265045', '83404833048', '23334175221'],
  HR: ['33392005961'],
  IT: ['00743110157'],
  LU: ['15027442'],
  PL: ['8567346215'],
  PT: ['501964843'],
  SE: ['123456789701'],
  CH: ['107787577', '100155212'],
  NO: ['995525828'],
  NZ: ['49091850'],
};

/** Countries of which only the form is checked. */
const formed = {
  BG: ['175074752', '7523169263'],
  CY: ['10259033P'],
  CZ: ['25123891', '640903926', '7103192745'],
  EE: ['100931558'],
  GR: ['094259216'],
  ES: ['B58378431', '54362315K', 'X2482300W'],
  HU: ['12892312'],
  IE: ['6433435F', '6433435OA', '8D79739I', '8+79739A', '8*79739W'],
  LT: ['119511515', '100001919017'],
  LV: ['40003521600'],
  MT: ['11679112'],
  NL: ['004495445B01', '+*A495445B99'],
  RO: ['18', '18547290', '1854729012'],
  SI: ['50223054'],
  SK: ['2022749619'],
  GB: ['980780684', '980780684001', 'GD000', 'GD499', 'HA500', 'HA999'],
  AU: ['83914571673'],
  AE: ['100123456700003'],
  CA: ['123026635RT0001', '123026635RT0012'],
  IS: ['00621', '134567'],
  LI: ['50123'],
  // Its check digit comes from the second weights, which notice fewer changes.
  NZ: ['136410132'],
  SA: ['310123456700003'],
  SG: ['00192200M', '197401143C', 'S16FC0121D', 'R00CC0001A', 'T08LL0001A', 'F00056789H', 'M90369986X', 'MR85000006'],
  ZA: ['4012345678'],
};

const entries = Object.entries({ ...checked, ...formed }).flatMap(([country, numbers]) =>
  numbers.map((number) => [country, number] as const),
);
/** Longer forms of some numbers, which are valid too. */
const longerForms = new Set(['IS 006210', 'BG 1750747520', 'CZ 251238910', 'CZ 6409039260', 'RO 180', 'RO 185472900']);

describe('a tax number', () => {
  test.each(entries)('%s: %s is valid', (country, number) => expect(isValid(country, number)).toBe(true));

  test.each(entries)('%s: %s with a sign more or less is refused', (country, number) => {
    if (!longerForms.has(`${country} ${number}0`)) expect(isValid(country, `${number}0`)).toBe(false);
    expect(isValid(country, `${number}Z`)).toBe(false);
    expect(isTaxNumber(country, normalTaxNumber(country, '').concat('X', number))).toBe(false);
    expect(isValid(country, '')).toBe(false);
  });

  test.each([
    ['AT', '13585627'],
    ['AT', 'U1358562'],
    ['BE', '2428759497'],
    ['BE', '428759497'],
    ['BG', '17507475'],
    ['BG', '75231692630'],
    ['CY', '102590331'],
    ['CY', '1025903P'],
    ['CZ', '2512389'],
    ['CZ', '71031927450'],
    ['DE', '013669597'],
    ['EE', '10093155'],
    ['ES', '5836843B'],
    ['FR', 'I7399859412'],
    ['FR', 'O7399859412'],
    ['HU', '1289231'],
    ['IE', '6433435X'],
    ['IE', '6433435OJ'],
    ['IE', '89797391X'],
    ['IE', '643343F'],
    ['IE', '8D7973I'],
    ['IE', '8D79739X'],
    ['LT', '1195115150'],
    ['LT', '10000191901'],
    ['LV', '4000352160'],
    ['MT', '1167911'],
    ['NL', '004495445A01'],
    ['NL', '00449544B01'],
    ['NL', '004495445B1'],
    ['RO', '1'],
    ['RO', '18547290123'],
    ['SE', '123456789702'],
    ['SI', '00223054'],
    ['SI', '5022305'],
    ['SK', '202274961'],
    ['GB', '98078068'],
    ['GB', '9807806840'],
    ['GB', '98078068400'],
    ['GB', 'GD500'],
    ['GB', 'GD49'],
    ['GB', 'HA499'],
    ['GB', 'HA50'],
    ['CH', '107787577XYZ'],
    ['NO', '995525828XYZ'],
    ['AU', '8391457167'],
    ['AE', '10012345670000'],
    ['CA', '123026635'],
    ['CA', '123026635RC0001'],
    ['CA', '123026635RT001'],
    ['IS', '0062'],
    ['LI', '5012'],
    ['NZ', '9125568'],
    ['SA', '110123456700003'],
    ['SA', '310123456700001'],
    ['SA', '31012345670003'],
    ['SG', '0019220M'],
    ['SG', '1974011430'],
    ['SG', 'Q16FC0121D'],
    ['SG', 'S1FC0121D'],
    ['SG', 'S16F00121D'],
    ['SG', 'S16FC01211'],
    ['SG', 'S16FC021D'],
    ['SG', 'F00156789H'],
    ['SG', 'F0005678H'],
    ['SG', 'F000567891'],
    ['SG', 'M9036998X'],
    ['SG', 'N90369986X'],
    ['ZA', '5012345678'],
    ['ZA', '401234567'],
  ])('%s: %s has not the form of the country', (country, number) => expect(isValid(country, number)).toBe(false));

  const digits = Object.entries(checked).flatMap(([country, numbers]) =>
    numbers.flatMap((number) =>
      [...number].flatMap((sign, index) => (/\d/.test(sign) ? [[country, number, index] as const] : [])),
    ),
  );
  test.each(digits)('%s: %s with another digit at %i is refused', (country, number, index) => {
    const valid = Array.from(
      { length: 10 },
      (_, digit) => `${number.slice(0, index)}${digit}${number.slice(index + 1)}`,
    );
    expect(valid.filter((changed) => isValid(country, changed))).toEqual([number]);
  });

  test.each([
    ['DK', '00000019', true],
    ['FI', '00000000', true],
    ['FR', 'K7399859412', true],
    ['FR', '7K399859412', true],
    ['PT', '000000000', true],
    ['PT', '000000010', false],
    ['PT', '100000002', true],
    ['PT', '000000060', true],
    ['CH', '000000000', true],
    ['NO', '000000000', true],
    ['DE', '100000008', true],
    ['CA', '123026636RT0001', false],
    ['CA', '123026653RT0001', false],
    ['NZ', '49098576', true],
    ['NZ', '49098575', false],
    ['NZ', '136410133', false],
    ['NZ', '049091850', true],
  ])('%s: the check digit of %s is right: %p', (country, number, isRight) =>
    expect(isValid(country, number)).toBe(isRight),
  );

  test.each([
    ['CH', 'CHE-107.787.577 IVA'],
    ['CH', 'CHE107787577MWST'],
    ['CH', 'CHE107787577TVA'],
    ['NO', '995 525 828 MVA'],
    ['DE', 'DE 136 695 976'],
    ['DE', 'de136695976'],
    ['GR', 'EL094259216'],
    ['FR', 'FR 83 404 833 048'],
    ['IT', 'IT/007431-10157'],
  ])('%s: %s is valid as it is written', (country, entered) => expect(isValid(country, entered)).toBe(true));

  test.each([
    ['DE', 'de 136.695-976', 'DE136695976'],
    ['GR', '094259216', 'EL094259216'],
    ['GR', 'EL094259216', 'EL094259216'],
    ['CH', '107787577', 'CHE107787577'],
    ['GB', '980 780/684', 'GB980780684'],
    ['FR', 'DE136695976', 'DE136695976'],
    ['FR', 'FRDE136695976', 'FRDE136695976'],
    ['FR', 'DE136695970', 'FRDE136695970'],
    ['DE', 'EL 094259216', 'EL094259216'],
    ['GB', 'XI980780684', 'GBXI980780684'],
  ])('%s: %s is stored as %s', (country, entered, stored) => expect(normalTaxNumber(country, entered)).toBe(stored));

  test.each(entries)('%s: %s has its country', (country, number) =>
    expect(countryOfTaxNumber(normalTaxNumber(country, number))).toBe(country),
  );

  test.each(['', 'DE', '136695976', 'DE136695978', 'GR094259216', 'CH107787577', 'XI980780684', 'US123456789'])(
    '%p has no country',
    (text) => expect(countryOfTaxNumber(text)).toBeUndefined(),
  );

  test.each([
    ['DE', 'AT U13585627'],
    ['FR', 'DE136695976'],
    ['GB', 'XI980780684'],
    ['GR', 'DE136695976'],
    ['AT', 'DE136695976'],
  ])('%s: %s belongs to another country', (country, entered) => expect(isValid(country, entered)).toBe(false));

  test.each([
    ['of another country', 'DE', 'AT136695976'],
    ['without its prefix', 'DE', '136695976'],
    ['of the same length as a prefix and a number', 'DE', 'XX136695976'],
    ['of a country whose form is not known', 'US', 'US123456789'],
    ['that is text', 'IT', "'; DROP TABLE"],
  ])('a stored number %s is refused', (_, country, stored) => expect(isTaxNumber(country, stored)).toBe(false));
});

test('a business in Monaco has a number of France, and one on the Isle of Man a number of the United Kingdom', () => {
  expect(normalTaxNumber('MC', '40 303 265 045')).toBe('FR40303265045');
  expect([isValid('MC', 'FR40303265045'), isValid('MC', 'MC40303265045')]).toEqual([true, false]);
  expect([isValid('IM', '123456789'), isValid('IM', 'FR40303265045')]).toEqual([true, false]);
  expect(countryOfTaxNumber('FR40303265045')).toBe('FR');
});
