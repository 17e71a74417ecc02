import { type z } from 'zod';
import { type BrandRow } from './branding.model';
import { type BrandResponse } from './branding.schemas';

/** The brand of a merchant without settings: dark on white, readable with any logo. */
const defaults = { primary: '#1b1b1f', secondary: '#5c5c66', buttonText: '#ffffff' };

export function presentBrand(brand: BrandRow, { exists }: { exists: boolean }): z.output<typeof BrandResponse> {
  const buttons = brand.buttonsBgColor ?? defaults.primary;
  const buttonText = brand.buttonsTextColor ?? defaults.buttonText;
  const hasLabel = brand.protectedLabel ?? true;
  return {
    id: brand.id ?? 0,
    exists,
    brand_name: brand.name ?? brand.merchantName,
    paywall_cover_photo: brand.coverPhotoUrl ?? '',
    paywall_brand_logo: brand.logoUrl ?? '',
    paywall_primary_color: brand.primaryColor ?? defaults.primary,
    paywall_secondary_color: brand.secondaryColor ?? defaults.secondary,
    paywall_buttons_bg_color: buttons,
    paywall_buttons_text_color: buttonText,
    preview_buttons_bg_color: brand.previewButtonsBgColor ?? buttons,
    preview_buttons_text_color: brand.previewButtonsTextColor ?? buttonText,
    preview_top_border: brand.previewTopBorder ?? true,
    service_protected_label: hasLabel,
    inplayer_protected_label: hasLabel,
    paywall_footer: brand.footer ?? '',
    default: brand.isDefault ?? true,
    template_id: brand.templateId ?? 1,
    terms_url: brand.termsUrl ?? '',
    dark_mode: brand.darkMode ?? false,
  };
}
