import { z } from 'zod';
import { formId, formText } from '../kit/form';
import { passesLuhn } from '../kit/cardNumbers';

/** The page that a browser returns to: absolute, http or https. */
export const webAddress = z.url({ protocol: /^https?$/ }).max(2000);

/** Continues after an authentication. */
export const ContinueBody = z.object({ pi_id: formText({ max: 100 }) });

const digits = (text: string) => text.replace(/[ -]/g, '');

/** A card as clients send it: spaces in the number, month `2` or `02`, year `30` or `2030`. */
export const cardFields = {
  number: formText({ max: 30 })
    .transform(digits)
    .refine((number) => /^\d{12,19}$/.test(number) && passesLuhn(number), 'must be a card number'),
  card_name: formText({ max: 100 }),
  exp_month: formText({ max: 2 })
    .transform(Number)
    .refine((month) => Number.isInteger(month) && month >= 1 && month <= 12, 'must be a month from 1 to 12'),
  exp_year: formText({ max: 4 })
    .refine((year) => /^(\d{2}|\d{4})$/.test(year), 'must be a year of two or four digits')
    .transform((year) => (year.length === 2 ? 2000 + Number(year) : Number(year))),
  cvv: formText({ max: 4 }).refine((code) => /^\d{3,4}$/.test(code), 'must be three or four digits'),
};

const CardBody = z.object(cardFields);
export type CardInput = z.output<typeof CardBody>;

/** The card of a purchase: its fields, or the token of the provider's form in the browser. */
export const maybeCardFields = {
  ...CardBody.partial().shape,
  payment_token: formText({ max: 500 }).optional(),
};

export const DefaultCardBody = z.object({
  ...maybeCardFields,
  /** The page to which the bank returns the payer after an authentication of the card. */
  return_url: webAddress.optional(),
  currency_iso: formText({ min: 3, max: 3 }).transform((code) => code.toUpperCase()),
});
export type DefaultCardInput = z.output<typeof DefaultCardBody>;

/** `number` is the card's last four digits as a number. */
export const TypedCard = z.object({
  number: z.int(),
  card_name: z.string(),
  exp_month: z.string(),
  exp_year: z.string(),
});

/**
 * The payer must authenticate the card at `redirect_to_url`. After that, the client sends `pi_id`, and the card can be
 * used.
 */
export const WaitingCard = TypedCard.extend({
  status: z.literal('requires_action'),
  redirect_to_url: z.string(),
  pi_id: z.string(),
});

/** By currency. */
export const DefaultCards = z.object({
  cards: z.record(z.string(), TypedCard.extend({ card_type: z.string(), account_id: z.int(), currency: z.string() })),
});

export const MethodPath = z.object({ id: formId() });

/** The stored tools of a payment method, for the oldest clients. */
export const PaymentTools = z.array(
  TypedCard.extend({ id: z.int(), card_type: z.string(), currency: z.string(), is_default: z.boolean() }),
);
