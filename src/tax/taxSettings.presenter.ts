import { type z } from 'zod';
import { type MissingRow, type RegistrationRow, type TaxProfile } from './taxSettings.model';
import { type TaxSettings } from './taxSettings.schemas';

export const presentProfile = (profile: TaxProfile) => ({
  seller_name: profile.sellerName,
  address_line: profile.addressLine,
  postal_code: profile.postalCode,
  city: profile.city,
  country: profile.country,
  tax_number: profile.taxNumber,
  item_kind: profile.itemKind,
  time_zone: profile.timeZone,
  prices_include_tax: profile.pricesIncludeTax,
  shown_prices: profile.shownPrices,
  calculation: profile.calculation,
  invoice_note: profile.invoiceNote,
});

export function presentTaxSettings(
  profile: TaxProfile | undefined,
  registrations: readonly (RegistrationRow & { hasRate: boolean })[],
  missing: readonly (MissingRow & { amount: number })[],
  notRecorded: readonly { transaction: string; problem: string }[],
): z.output<typeof TaxSettings> {
  return {
    profile: profile ? presentProfile(profile) : null,
    prices_include_tax: profile?.pricesIncludeTax ?? true,
    registrations: registrations.map(({ region, hasRate, ...row }) => ({
      ...row,
      region: region ?? '',
      has_rate: hasRate,
    })),
    missing: missing.map(({ country, treatment, sales, amount, currency }) => ({
      ...{ country, treatment, sales, amount },
      currency_iso: currency,
    })),
    not_recorded: [...notRecorded],
  };
}
