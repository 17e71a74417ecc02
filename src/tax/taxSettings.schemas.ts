import { z } from 'zod';
import { formBool, formId, formText } from '../kit/form';
import { shownPriceRules } from '../kit/shownPriceRules';
import { TimeZone } from '../kit/timeZones';

const kind = z.enum(['standard', 'ebook', 'press']);
const shownPrices = z.enum(shownPriceRules);
const calculation = z.enum(['table', 'provider']);
const scheme = z.enum(['domestic', 'oss', 'ioss', 'exempt']);
/** ISO 3166-1 alpha-2. */
export const formCountry = () =>
  formText({ min: 2, max: 2 }).pipe(
    z
      .string()
      .regex(/^[A-Za-z]{2}$/)
      .toUpperCase(),
  );
/** ISO 3166-2. */
export const formRegion = () =>
  formText({ max: 6 }).pipe(
    z
      .string()
      .toUpperCase()
      .regex(/^[A-Z]{2}-[A-Z0-9]{1,3}$/, 'must be a code of ISO 3166-2'),
  );

export const TaxProfileBody = z.object({
  seller_name: formText({ max: 250 }),
  address_line: formText({ max: 250 }),
  postal_code: formText({ max: 20 }),
  city: formText({ max: 120 }),
  country: formCountry(),
  tax_number: formText({ max: 40 }).optional(),
  item_kind: kind.optional(),
  time_zone: TimeZone.optional(),
  prices_include_tax: formBool()
    .optional()
    .meta({ description: 'False: the tax is added to the prices of new purchases. Without it, prices include tax' }),
  shown_prices: shownPrices.optional().meta({
    description:
      'by_country: without tax in the United States and Canada, with tax elsewhere. Without the field, by_country',
  }),
  calculation: calculation.optional().meta({
    description:
      'provider: the payment account of the merchant calculates the tax (Stripe Tax). Without it, the table of rates does',
  }),
  invoice_note: formText({ max: 500 }).optional().meta({
    description:
      'A text on each invoice and credit note, such as the register of companies or the reason of an exemption. Without it, none',
  }),
});

export const RegistrationBody = z.object({
  country: formCountry(),
  region: formRegion().optional(),
  scheme,
  number: formText({ max: 40 }).optional(),
});

export const RegistrationPath = z.object({ id: formId() });
export const ItemKindPath = z.object({ item_id: formId() });
export const ItemKindBody = z.object({ item_kind: kind });
export const ItemKindResponse = z.object({ item_id: z.int(), item_kind: kind });

const Registration = z.object({
  id: z.int(),
  country: z.string(),
  region: z.string(),
  scheme,
  number: z.string(),
  has_rate: z.boolean().meta({
    description: 'False: the table of rates has lost the rate of the place, and charges there have no tax',
  }),
});

/** `profile` is null until it is set. `missing`: the sales of the last year in countries without a registration. */
export const TaxSettings = z.object({
  profile: z
    .object({
      seller_name: z.string(),
      address_line: z.string(),
      postal_code: z.string(),
      city: z.string(),
      country: z.string(),
      tax_number: z.string(),
      item_kind: kind,
      time_zone: z.string(),
      prices_include_tax: z.boolean(),
      shown_prices: shownPrices,
      calculation,
      invoice_note: z.string(),
    })
    .nullable(),
  prices_include_tax: z.boolean(),
  registrations: z.array(Registration),
  missing: z.array(
    z.object({
      country: z.string(),
      treatment: z.enum(['not_registered', 'seller_country']),
      sales: z.int(),
      amount: z.number(),
      currency_iso: z.string(),
    }),
  ),
  not_recorded: z.array(z.object({ transaction: z.string(), problem: z.string() })).meta({
    description: 'Charges whose sale or refund the provider did not record in its tax reports',
  }),
});
