import { decideTax, type TaxCase } from '../../src/billing/tax/decision';
import { packaged } from '../../src/billing/tax/rates';

export const day = (text: string) => Date.parse(text);
/** The tax of a German seller without the one stop shop, of a customer in Germany. */
export const decide = (of: Partial<TaxCase>) =>
  decideTax(packaged, {
    sellerCountry: 'DE',
    registrations: [{ country: 'DE', scheme: 'domestic' }],
    evidence: { billing: 'DE', network: 'DE' },
    kind: 'standard',
    atMs: day('2026-03-01'),
    ...of,
  });

export const oss = [
  { country: 'DE', scheme: 'domestic' },
  { country: 'DE', scheme: 'oss' },
] as const;
