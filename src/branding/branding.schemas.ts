import { z } from 'zod';
import { formAlias, formBool, formId, formInt, formText } from '../kit/form';

/**
 * The `branding_id` of a request whose result is a mail or a page: `0`, a number, nothing, or the text `undefined`.
 * Existing clients send all of these. A value that cannot be a brand's id counts as absent.
 */
export const BrandingId = z
  .unknown()
  .optional()
  .transform((sent) => formId().safeParse(sent).data);

const colour = () =>
  z
    .string()
    .trim()
    .regex(/^#(?:[\da-f]{3}|[\da-f]{6})$/i, 'must be a colour like #0a7 or #00aa77');

const whyNoWebAddress = 'must be an https address, without a user or blanks';

/** Stored as it is sent, and never fetched by this service. Plain http is allowed in the test environment only. */
const webAddress = () => z.string().trim().max(2000).refine(isWebAddress, whyNoWebAddress);

const webAddressOrBlank = () =>
  z
    .string()
    .trim()
    .max(2000)
    .refine((text) => text === '' || isWebAddress(text), whyNoWebAddress);

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** A shop may have no pictures and no footer. Empty and absent ones count as none. */
export const BrandBody = z.object({
  brand_name: formText({ max: 100 }),
  paywall_cover_photo: webAddressOrBlank().default(''),
  paywall_brand_logo: webAddressOrBlank().default(''),
  paywall_primary_color: colour(),
  paywall_secondary_color: colour(),
  paywall_buttons_bg_color: colour(),
  paywall_buttons_text_color: colour(),
  preview_buttons_bg_color: colour().optional(),
  preview_buttons_text_color: colour().optional(),
  preview_top_border: formBool(),
  /** One label under two names, because clients send either. */
  service_protected_label: formAlias('inplayer_protected_label', formBool()),
  paywall_footer: z.string().max(20_000).default(''),
  default: formBool().optional(),
  template_id: formInt().pipe(z.int().min(1).max(7)).default(1),
  terms_url: webAddress().optional(),
  dark_mode: formBool().default(false),
});

export const BrandChange = BrandBody.extend({ id: formId() });

export const BrandPath = z.object({ id: formId() });
export const MerchantPath = z.object({ merchant_uuid: z.string().min(1).max(100) });
export const BrandOfMerchantPath = MerchantPath.extend({ id: BrandingId });

export const SavedBrand = z.object({ id: z.int() });

/** `exists`: whether the requested brand exists. If not, the other fields describe the merchant's default brand. */
export const BrandResponse = z.object({
  id: z.int(),
  exists: z.boolean(),
  brand_name: z.string(),
  paywall_cover_photo: z.string(),
  paywall_brand_logo: z.string(),
  paywall_primary_color: z.string(),
  paywall_secondary_color: z.string(),
  paywall_buttons_bg_color: z.string(),
  paywall_buttons_text_color: z.string(),
  preview_buttons_bg_color: z.string(),
  preview_buttons_text_color: z.string(),
  preview_top_border: z.boolean(),
  service_protected_label: z.boolean(),
  inplayer_protected_label: z.boolean(),
  paywall_footer: z.string(),
  default: z.boolean(),
  template_id: z.int(),
  terms_url: z.string(),
  dark_mode: z.boolean(),
});
