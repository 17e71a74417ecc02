import { contrast, edgeContrast, readableOn, shadeOn } from '../../kit/colours';
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
  /** Whether pages are always dark. Otherwise they follow the setting of the visitor's device. */
  isDark: boolean;
}

/** The theme of pages without a merchant. */
export const houseTheme: Theme = {
  name: 'Subscription paywall',
  logoUrl: '',
  coverUrl: '',
  primary: '#4f46e5',
  secondary: '#60646c',
  button: '#4f46e5',
  buttonText: '#ffffff',
  previewButton: '#4f46e5',
  previewButtonText: '#ffffff',
  template: 1,
  footer: '',
  termsUrl: '',
  hasTopLine: false,
  showsProtectedLabel: false,
  isDark: false,
};

/** The theme of the pages of operators. */
export const operatorTheme: Theme = { ...houseTheme, primary: '#8145b5', button: '#8145b5' };

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

/** The background with the lowest contrast for coloured text and edges, the colour of secondary text, and that of cards. */
const grounds = {
  light: { hardest: '#f0f0f3', quiet: '#60646c' },
  dark: { hardest: '#212225', quiet: '#b0b4ba', paper: '#18191b' },
} as const;

/** The lowest contrast between a coloured part and its background with which the part is easy to see. */
const visibleContrast = 1.5;

/** The CSS custom properties of a merchant's theme. The colours of text are corrected to be readable, light and dark. */
export function themeProperties(theme: Theme): Html {
  const primary = colourOr(theme.primary, houseTheme.primary);
  const properties = {
    primary,
    'on-primary': readableOn(primary, '#ffffff'),
    'primary-line': inBoth((ground) => edgeOn(ground, primary)),
    accent: inBoth(({ hardest }) => shadeOn(hardest, primary)),
    secondary: inBoth(({ hardest, quiet }) => secondaryOn(hardest, theme.secondary) ?? quiet),
    ...buttonProperties('button', theme.button, theme.buttonText),
    ...buttonProperties('preview-button', theme.previewButton, theme.previewButtonText),
  };
  const written = Object.entries(properties).map(([name, value]) => `--${name}:${value}`);
  return new Html(`:root{${theme.isDark ? 'color-scheme:dark;' : ''}${written.join(';')}}`);
}

type Ground = (typeof grounds)['light' | 'dark'];

/** A colour on a light page, and on a dark one. */
const inBoth = (of: (ground: Ground) => string) => `light-dark(${of(grounds.light)},${of(grounds.dark)})`;

const edgeOn = ({ hardest }: Ground, wanted: string) => shadeOn(hardest, wanted, edgeContrast);

/** The chosen colour of secondary text, if it can be read. */
function secondaryOn(hardest: string, wanted: string): string | undefined {
  const secondary = colourOr(wanted, houseTheme.secondary);
  return readableOn(hardest, secondary) === secondary ? secondary : undefined;
}

/**
 * A button that has nearly the colour of a dark page swaps its colours there, so that it stays the most visible part. One
 * that is hard to tell from the page has a darker or lighter edge.
 */
function buttonProperties(name: 'button' | 'preview-button', wanted: string, text: string): Record<string, string> {
  const button = colourOr(wanted, houseTheme.button);
  const onButton = readableOn(button, colourOr(text, '#ffffff'));
  const swaps = contrast(grounds.dark.paper, button) < visibleContrast;
  const [onDark, textOnDark] = swaps ? [onButton, button] : [button, onButton];
  return {
    [name]: swaps ? `light-dark(${button},${onDark})` : button,
    [`on-${name}`]: swaps ? `light-dark(${onButton},${textOnDark})` : onButton,
    [`${name}-edge`]: `light-dark(${edgeOn(grounds.light, button)},${edgeOn(grounds.dark, onDark)})`,
  };
}
