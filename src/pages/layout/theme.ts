import { readableOn } from '../../kit/colours';
import { Html } from '../../kit/html';

/** How a merchant's pages look. Colours are `#rgb` or `#rrggbb`; an address that there is none of is empty. */
export interface Theme {
  name: string;
  logoUrl: string;
  coverUrl: string;
  primary: string;
  secondary: string;
  button: string;
  buttonText: string;
  /** HTML, sanitised. */
  footer: string;
  termsUrl: string;
  /** A line in the primary colour above what is sold. */
  hasTopLine: boolean;
  /** Below what is sold: that the content behind it is protected. */
  showsProtectedLabel: boolean;
  isDark: boolean;
}

/** Of pages that belong to no merchant. */
export const houseTheme: Theme = {
  name: 'Subscription paywall',
  logoUrl: '',
  coverUrl: '',
  primary: '#1d4ed8',
  secondary: '#5c5c66',
  button: '#1d4ed8',
  buttonText: '#ffffff',
  footer: '',
  termsUrl: '',
  hasTopLine: false,
  showsProtectedLabel: false,
  isDark: false,
};

/** What `GET /branding/paywall/{merchant_uuid}/default` answers, as far as a page shows it. */
interface Brand {
  brand_name: string;
  paywall_brand_logo: string;
  paywall_cover_photo: string;
  paywall_primary_color: string;
  paywall_secondary_color: string;
  paywall_buttons_bg_color: string;
  paywall_buttons_text_color: string;
  paywall_footer: string;
  terms_url: string;
  preview_top_border: boolean;
  service_protected_label: boolean;
  dark_mode: boolean;
}

export function themeOf(brand: Brand): Theme {
  return {
    name: brand.brand_name,
    logoUrl: brand.paywall_brand_logo,
    coverUrl: brand.paywall_cover_photo,
    primary: brand.paywall_primary_color,
    secondary: brand.paywall_secondary_color,
    button: brand.paywall_buttons_bg_color,
    buttonText: brand.paywall_buttons_text_color,
    footer: brand.paywall_footer,
    termsUrl: brand.terms_url,
    hasTopLine: brand.preview_top_border,
    showsProtectedLabel: brand.service_protected_label,
    isDark: brand.dark_mode,
  };
}

const colour = /^#(?:[\da-f]{3}|[\da-f]{6})$/i;
const colourOr = (wanted: string, fallback: string) => (colour.test(wanted) ? wanted : fallback);

/** The colours of a dark page, each readable on those below it. */
const darkProperties =
  'color-scheme:dark;--ink:#ececf1;--quiet:#adadb9;--ground:#131318;--paper:#1d1d24;--soft:#292932;--line:#3a3a46;' +
  '--edge:#8b8b97;--good:#86e0a6;--good-soft:#12301f;--bad:#ffa3a3;--bad-soft:#3d1618;--on-bad:#1d1d24;--warn:#f5c26b;' +
  '--warn-soft:#3a2a0a;--note:#a8c7fa;--note-soft:#17294a;--shadow:none;';
const darkPaper = '#1d1d24';

/** The custom properties that a merchant's choice sets; a text that could not be read on them is made readable. */
export function themeProperties(theme: Theme): Html {
  const primary = colourOr(theme.primary, houseTheme.primary);
  const button = colourOr(theme.button, houseTheme.button);
  const onButton = readableOn(button, colourOr(theme.buttonText, '#ffffff'));
  const accent = readableOn(theme.isDark ? darkPaper : '#ffffff', primary);
  return new Html(
    `:root{${theme.isDark ? darkProperties : ''}--primary:${primary};--on-primary:${readableOn(primary, '#ffffff')};--accent:${accent};` +
      `--button:${button};--on-button:${onButton}}`,
  );
}
