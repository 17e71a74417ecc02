import { type Registration } from '../../../../src/billing/tax/decision';
import { registeredNumber, sellerTaxNumber } from '../../../../src/billing/tax/sellerNumbers';

/** The numbers under which a seller is registered stand on invoices. */

const at = (country: string, scheme: Registration['scheme'] = 'domestic', region?: string) => ({
  ...{ country, scheme },
  ...(region !== undefined && { region }),
});

describe('the number of a registration', () => {
  test.each<[Registration, string, string]>([
    [at('DE'), ' de 136.695-976 ', 'DE136695976'],
    [at('DE'), '136 695 976', 'DE136695976'],
    [at('DE'), ' 12/345/67890 ', '12/345/67890'],
    [at('DE'), '2712345678901', '2712345678901'],
    [at('HU'), '12345676-2-42', '12345676-2-42'],
    [at('HU'), 'hu 12345676', 'HU12345676'],
    [at('GB'), 'xi 980 7806 84', 'XI980780684'],
    [at('GR'), '094259216', 'EL094259216'],
    [at('MC'), '40 303 265 045', 'FR40303265045'],
    [at('IM'), 'gb 980 7806 84', 'GB980780684'],
    [at('CH'), 'CHE-109.322.551 mwst', 'CHE109322551MWST'],
    [at('NO'), 'no 995 525 828 mva', '995525828MVA'],
    [at('CA'), '123026635 rt0001', '123026635RT0001'],
    [at('CA', 'domestic', 'CA-ON'), '123026635RT0001', '123026635RT0001'],
    [at('CA', 'domestic', 'CA-QC'), 'nr00001234', 'NR00001234'],
    [at('CA', 'domestic', 'CA-QC'), '1234567890 TQ0001', '1234567890 TQ0001'],
    [at('CA', 'domestic', 'CA-BC'), 'pst-1234-5678', 'PST-1234-5678'],
    [at('JP'), 't1234567890123', 'T1234567890123'],
    [at('US'), '12-3456789', '12-3456789'],
    [at('IE', 'oss'), 'eu 276000001', 'EU276000001'],
    [at('DE', 'oss'), 'DE136695976', 'DE136695976'],
    [at('IE', 'ioss'), 'im 3720000001', 'IM3720000001'],
    [at('FR', 'exempt'), 'de136695976-ex', 'DE136695976-EX'],
    [at('FR', 'exempt'), '404 833 048', '404 833 048'],
    [at('DE'), ' ', ''],
  ])('%j: %p is written as %p', (registration, entered, number) =>
    expect(registeredNumber(registration, entered)).toBe(number),
  );

  test.each<[Registration, string]>([
    [at('DE'), 'DE136695978'],
    [at('DE'), '136695978'],
    [at('DE'), '123456789'],
    [at('DE'), '123456789012'],
    [at('FR'), 'DE136695976'],
    [at('HU'), '12345676-2-4'],
    [at('HU'), '12345676-2-422'],
    [at('GB'), 'XI98078068'],
    [at('GB'), 'XI'],
    [at('IE'), 'XI980780684'],
    [at('DE'), 'EU276000001'],
    [at('DE'), 'DE136695976-EX'],
    [at('IE', 'oss'), 'EU27600000'],
    [at('IE', 'oss'), 'XEU276000001'],
    [at('IE', 'ioss'), 'EU276000001'],
    [at('IE', 'ioss'), 'IM37200000012'],
    [at('FR', 'exempt'), 'US136695976-EX'],
    [at('FR', 'exempt'), '1234'],
    [at('FR', 'exempt'), '123456789012345'],
    [at('JP'), 'T123456789012'],
    [at('CA', 'domestic', 'CA-QC'), 'NR0000123'],
    [at('CA'), 'NR00001234'],
    [at('CA', 'domestic', 'CA-ON'), 'NR00001234'],
    [at('PT', 'domestic', 'PT-20'), '501964844'],
    [at('US'), 'DE136695976'],
  ])('%j: %p is refused', (registration, entered) => expect(registeredNumber(registration, entered)).toBeUndefined());
});

describe('the number of a profile', () => {
  test.each([
    ['DE', 'de 136 695 976', 'DE136695976'],
    ['DE', ' 12/345/67890 ', '12/345/67890'],
    ['US', '12-3456789', '12-3456789'],
    ['US', 'US123', 'US123'],
    ['DE', 'de', 'de'],
    ['DE', '', ''],
  ])('%s: %p is kept as %p', (country, entered, number) => expect(sellerTaxNumber(country, entered)).toBe(number));

  test.each([
    ['DE', 'DE136695978'],
    ['GR', 'el 09425921'],
    ['CH', 'CHE-107.787.578'],
  ])('%s: %p is refused', (country, entered) => expect(sellerTaxNumber(country, entered)).toBeUndefined());
});
