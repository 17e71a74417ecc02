import { z } from 'zod';
import { formText } from '../../kit/form';
import { languages } from '../../kit/languages';

/** The mails to customers, whose texts a merchant can replace. */
export const customerMails = [
  'activation',
  'password_reset',
  'sign_in_link',
  'pin_code',
  'email_change',
  'email_change_asked',
  'email_changed',
  'password_changed',
  'new_sign_in',
  'second_factor_on',
  'second_factor_off',
  'passkey_added',
  'passkey_removed',
  'acted_for_you',
  'export_confirmation',
  'account_export',
  'account_erased',
  'receipt',
  'refund',
  'tax_number_removed',
  'gift',
  'trial_ends',
  'trial_needs_card',
  'renewal_reminder',
  'card_expires',
  'payment_failed',
  'debit_failed',
  'payment_action',
  'card_needed',
  'payment_reminder',
  'access_ends',
  'payment_recovered',
  'payment_deferred',
  'subscription_on_hold',
  'subscription_canceled',
  'subscription_ended',
] as const;
export type CustomerMail = (typeof customerMails)[number];

const Language = z.enum(languages);

export const MailTextPath = z.object({ kind: z.enum(customerMails), language: Language });
export const MailTextQuery = z.object({ language: Language.default('en') });

/** A line break in a subject would begin another header. */
const line = (max: number) =>
  formText({ max }).refine(
    (text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text),
    'must be one line without control characters',
  );

/** Paragraphs, with empty lines between them. */
const paragraphs = (max: number) =>
  formText({ max })
    .refine((text) => !/[^\P{Cc}\r\n]/u.test(text), 'must have no control characters')
    .pipe(z.string().overwrite((text) => text.replaceAll(/\r\n?/g, '\n')));

/** Plain text with placeholders such as `{amount}`. Without a heading, the mail shows its subject there. */
export const MailTextBody = z.object({
  subject: line(200),
  heading: line(200).optional(),
  opening: paragraphs(3000),
  closing: paragraphs(1000).optional(),
  button: line(60).optional(),
});

/** A text to try. Absent fields have the standard text. Without any field, it is the saved text. */
export const MailTextDraft = MailTextBody.partial();

const standard = z.object({
  subject: z.string(),
  opening: z.string(),
  closing: z.string(),
  button: z.string().nullable(),
});
const own = standard.extend({ heading: z.string().nullable(), closing: z.string().nullable(), updated_at: z.int() });

/** `has_fixed_closing`: the closing protects the reader and stays. `changed_languages`: where the merchant has a text. */
export const MailTextResponse = z.object({
  kind: z.enum(customerMails),
  language: Language,
  placeholders: z.array(z.string()),
  has_fixed_closing: z.boolean(),
  standard,
  own: own.nullable(),
  changed_languages: z.array(Language),
});

export const MailTextList = z.object({ collection: z.array(MailTextResponse) });

/** The mail as its reader would receive it, with the values of an example. */
export const MailTextPreview = z.object({ subject: z.string(), text: z.string(), html: z.string() });
