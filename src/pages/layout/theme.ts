import { readableOn } from '../../kit/colours';
import { Html } from '../../kit/html';

/** The theme of a merchant's pages. Colours are `#rgb` or `#rrggbb`. A missing URL is empty. */
export interface Theme {
  name: string;
  logoUrl: string;
  coverUrl: string;
  primary: string;
  /** The colour of secondary text and of the borders of fields. */
  secondary: string;
  button: string;
  buttonText: string;
  /** The colour of the button of the preview. */
  previewButton: string;
  previewButtonText: string;
  /** The layout of the preview. */
  template: number;
  /** Sanitised HTML. */
  footer: string;
  termsUrl: string;
  /** Whether the preview has a line in the primary colour above it. */
  hasTopLine: boolean;
  /** Whether the preview says that the content is protected. */
  showsProtectedLabel: boolean;
  isDark: boolean;
}

/** The theme of pages without a merchant. */
export const houseTheme: Theme = {
  name: 'Subscription paywall',
  logoUrl: '',
  coverUrl: '',
  primary: '#1d4ed8',
  secondary: '#5c5c66',
  button: '#1d4ed8',
  buttonText: '#ffffff',
  previewButton: '#1d4ed8',
  previewButtonText: '#ffffff',
  template: 1,
  footer: '',
  termsUrl: '',
  hasTopLine: false,
  showsProtectedLabel: false,
  isDark: false,
};

/** The part of the response of `GET /branding/paywall/{merchant_uuid}/default` that pages show. */
interface Brand {
  brand_name: string;
  paywall_brand_logo: string;
  paywall_cover_photo: string;
  paywall_primary_color: string;
  paywall_secondary_color: string;
  paywall_buttons_bg_color: string;
  paywall_buttons_text_color: string;
  preview_buttons_bg_color: string;
  preview_buttons_text_color: string;
  template_id: number;
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
    previewButton: brand.preview_buttons_bg_color,
    previewButtonText: brand.preview_buttons_text_color,
    template: brand.template_id,
    footer: brand.paywall_footer,
    termsUrl: brand.terms_url,
    hasTopLine: brand.preview_top_border,
    showsProtectedLabel: brand.service_protected_label,
    isDark: brand.dark_mode,
  };
}

const colour = /^#(?:[\da-f]{3}|[\da-f]{6})$/i;
const colourOr = (wanted: string, fallback: string) => (colour.test(wanted) ? wanted : fallback);

/** The colours of a dark page. The text colours are readable on the backgrounds below them. */
const darkProperties =
  'color-scheme:dark;--ink:#ececf1;--ground:#131318;--paper:#1d1d24;--soft:#292932;--line:#3a3a46;' +
  '--good:#86e0a6;--good-soft:#12301f;--bad:#ffa3a3;--bad-soft:#3d1618;--on-bad:#1d1d24;--warn:#f5c26b;' +
  '--warn-soft:#3a2a0a;--note:#a8c7fa;--note-soft:#17294a;--shadow:none;';
/** For secondary text: the background with the lowest contrast, and the colour of the text. */
const grounds = {
  light: { paper: '#ffffff', hardest: '#f0f0f4', quiet: '#5c5c66' },
  dark: { paper: '#1d1d24', hardest: '#292932', quiet: '#adadb9' },
} as const;

/** The CSS custom properties of a merchant's theme. Text colours are corrected until they are readable. */
export function themeProperties(theme: Theme): Html {
  const { paper, hardest, quiet } = grounds[theme.isDark ? 'dark' : 'light'];
  const primary = colourOr(theme.primary, houseTheme.primary);
  const secondary = colourOr(theme.secondary, houseTheme.secondary);
  const properties = {
    primary,
    'on-primary': readableOn(primary, '#ffffff'),
    accent: readableOn(paper, primary),
    secondary: readableOn(hardest, secondary) === secondary ? secondary : quiet,
    ...buttonProperties('button', theme.button, theme.buttonText),
    ...buttonProperties('preview-button', theme.previewButton, theme.previewButtonText),
  };
  const written = Object.entries(properties).map(([name, value]) => `--${name}:${value}`);
  return new Html(`:root{${theme.isDark ? darkProperties : ''}${written.join(';')}}`);
}

function buttonProperties(name: 'button' | 'preview-button', wanted: string, text: string): Record<string, string> {
  const button = colourOr(wanted, houseTheme.button);
  return { [name]: button, [`on-${name}`]: readableOn(button, colourOr(text, '#ffffff')) };
}
