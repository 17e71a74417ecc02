import { type MailBrand } from '../branding/branding';
import { contrast, edgeContrast, readableOn, shadeOn } from '../kit/colours';
import { html, type Html } from '../kit/html';
import { directionOf, type Language } from '../kit/languages';
import { textOfHtml } from '../adapters/html';
import { type Fact } from './facts';
import { footerOf } from './footer';
import { dark, fonts, headOf, layout, light, monospaced } from './mailStyle';
import { type Words, wordsIn } from './words';

/** The content of a mail, from which its text and its HTML are made. */
export interface MailContent {
  language: Language;
  subject: string;
  /** Absent: the subject. */
  heading?: string;
  /** Paragraphs, with empty lines between them. */
  opening: string;
  /** What was bought, what it costs, and when. */
  facts?: Fact[];
  link?: { url: string; label: string };
  /** How the link works. */
  note?: string;
  /** Another page, less important than the link. */
  more?: { url: string; label: string } | undefined;
  /** What another service said, word for word, or its address. */
  quote?: string;
  /** A text to type or to copy. */
  code?: string;
  /** Whether the reader needs the code even though there is a link. By default, it is for apps. */
  needsCode?: boolean;
  closing: string;
  /** Whether the mail is about a purchase: its foot has the reason for the mail, and a link to the account. */
  isAboutPurchase?: boolean;
}

export function asText(content: MailContent, brand: MailBrand): string {
  const { language, heading, opening, facts, quote, link, note, more, code, needsCode, closing } = content;
  const { t } = wordsIn(language);
  const line = (one: { url: string; label: string } | undefined) => one && `${one.label}: ${one.url}`;
  const why = content.isAboutPurchase && [
    t('layout.why', { brand: brand.name }),
    line(manageOf(brand, wordsIn(language))),
  ];
  const footer = [brand.name, textOfHtml(brand.footer), brand.termsUrl, ...(why || [])].filter(Boolean).join('\n');
  const typed = code === undefined ? undefined : t('layout.code', { code });
  const table = facts?.map(({ label, value }) => `${label}: ${value}`).join('\n');
  const action = [line(link), note].filter((part) => part !== undefined).join('\n');
  const actions = needsCode ? [typed, action, line(more)] : [action, line(more), typed];
  const parts = [heading, opening, table, quote, ...actions, closing, `-- \n${footer}`];
  return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`;
}

const manageOf = ({ portalUrl }: MailBrand, { t }: Words) => ({ url: portalUrl, label: t('layout.manage') });

/** Uses tables and inline styles, because mail programs support little else. */
export function asHtml(content: MailContent, brand: MailBrand): Html {
  const { language, subject, opening, isAboutPurchase } = content;
  const words = wordsIn(language);
  const manage = isAboutPurchase ? manageOf(brand, words) : undefined;
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      ${headOf(subject)}
      <body class="ground" style="margin:0;padding:0;background:${light.ground};-webkit-text-size-adjust:100%">
        <div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${opening}</div>
        <table
          ${layout}
          width="100%"
          class="ground ink"
          style="background:${light.ground};font:16px/24px ${fonts};color:${light.ink}"
        >
          <tr>
            <td align="center" style="padding:32px 16px">
              <table ${layout} width="100%" style="max-width:560px;text-align:${startOf(language)}">
                <tr>
                  <td style="padding:0 8px 20px">${signOf(brand)}</td>
                </tr>
                <tr>
                  <td>${cardOf(content, brand)}</td>
                </tr>
                <tr>
                  <td
                    class="footer quiet"
                    style="padding:20px 8px 0;color:${light.quiet};font-size:13px;line-height:20px"
                  >
                    ${footerOf(brand, words, manage)}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
}

const startOf = (language: Language) => (directionOf(language) === 'rtl' ? 'right' : 'left');
const endOf = (language: Language) => (directionOf(language) === 'rtl' ? 'left' : 'right');

function cardOf(content: MailContent, brand: MailBrand): Html {
  const { language, subject, heading = subject, opening, facts = [], link, note, more } = content;
  const { code, needsCode, quote } = content;
  const words = wordsIn(language);
  // Arabic letters are joined.
  const closer = directionOf(language) === 'ltr' && ';letter-spacing:-0.02em';
  const edge = `border:1px solid ${light.line};border-top:4px solid ${brand.primaryColor}`;
  const style = `background:${light.paper};${edge};border-radius:12px;border-collapse:separate`;
  const small = `margin:16px 0 0;color:${light.quiet};font-size:14px;line-height:20px`;
  const other = more && html`<a href="${more.url}" class="quiet" style="color:${light.quiet}">${more.label}</a>`;
  return html`<table ${layout} class="card" width="100%" style="${style};text-align:${startOf(language)}">
    <tr>
      <td class="inside" style="padding:32px">
        <h1 class="ink" style="margin:0 0 12px;font-size:24px;line-height:30px;font-weight:600${closer}">${heading}</h1>
        ${paragraphsOf(opening, `margin:0;color:${light.quiet}`)} ${facts.length > 0 && tableOf(facts, language)}
        ${quote !== undefined && codeOf(quote)} ${code !== undefined && (!link || needsCode) && codeOf(code)}
        ${link && buttonOf(link, brand)}
        ${note !== undefined && html`<p class="quiet" style="${small};text-align:center">${note}</p>`}
        ${other && html`<p style="${small};text-align:center">${other}</p>`} ${paragraphsOf(content.closing, small)}
        ${link && fallbackOf(link.url, needsCode ? undefined : code, words)}
      </td>
    </tr>
  </table>`;
}

/** `style`: of each paragraph, with the space above the first one. */
function paragraphsOf(text: string, style: string): Html {
  const paragraphs = text.split(/\n{2,}/).map((paragraph, place) => {
    const lines = paragraph.split('\n').map((line, index) => html`${index > 0 && html`<br />`}${line}`);
    return html`<p class="quiet" style="${style}${place > 0 && ';margin:12px 0 0'}">${lines}</p>`;
  });
  return html`${paragraphs}`;
}

function tableOf(facts: readonly Fact[], language: Language): Html {
  const cell = `padding:10px 0;border-top:1px solid ${light.line};vertical-align:top`;
  const rows = facts.map(
    ({ label, value, isTotal }) =>
      html`<tr>
        <td class="quiet line" style="${cell};color:${light.quiet}">${label}</td>
        <td class="ink line" style="${cell};text-align:${endOf(language)}${isTotal ? ';font-weight:600' : ''}">
          <bdi>${value}</bdi>
        </td>
      </tr>`,
  );
  const style = `margin:20px 0 0;border-bottom:1px solid ${light.line};border-collapse:separate;font-size:14px;line-height:20px`;
  return html`<table ${layout} class="line" width="100%" style="${style}">
    ${rows}
  </table>`;
}

/** The logo, with the name as its alternative text, or the name beside its first letter. */
function signOf({ name, logoUrl, primaryColor }: MailBrand): Html {
  const style = 'font-size:16px;font-weight:600;line-height:28px';
  const picture = 'display:block;height:40px;width:auto;max-width:240px;border:0';
  if (logoUrl !== '')
    return html`<img src="${logoUrl}" alt="${name}" height="40" class="logo" style="${picture};${style}" />`;
  const mark = `width:28px;height:28px;border-radius:8px;background:${primaryColor};color:${readableOn(primaryColor, '#ffffff')};text-align:center;font-weight:700`;
  const initial = (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '').toUpperCase();
  return html`<table ${layout}>
    <tr>
      <td bgcolor="${primaryColor}" style="${mark}">${initial}</td>
      <td class="ink" style="padding:0 8px;${style}"><bdi>${name}</bdi></td>
    </tr>
  </table>`;
}

function buttonOf({ url, label }: { url: string; label: string }, { buttonColor, buttonTextColor }: MailBrand): Html {
  const text = readableOn(buttonColor, buttonTextColor);
  // A button that is hard to tell from the paper needs a border, on light and on dark paper.
  const edge = `border:1px solid ${shadeOn(light.paper, buttonColor, edgeContrast)}`;
  const style = `display:block;padding:13px 24px;color:${text};font-weight:600;text-align:center;text-decoration:none`;
  return html`<table ${layout} width="100%" style="margin:24px 0 0;border-collapse:separate">
    <tr>
      <td
        bgcolor="${buttonColor}"
        ${contrast(dark.paper, buttonColor) < edgeContrast && html`class="edged"`}
        style="background:${buttonColor};border-radius:10px;${edge}"
      >
        <a href="${url}" style="${style}">${label}</a>
      </td>
    </tr>
  </table>`;
}

function codeOf(code: string): Html {
  // A long code, such as an address, wraps in smaller letters.
  const size = code.length > 12 ? '16px/24px' : '30px/39px';
  const letters = `font:600 ${size} ${monospaced};letter-spacing:${code.length > 12 ? '0' : '6px'};overflow-wrap:anywhere`;
  return html`<p
    class="ground ink"
    style="margin:20px 0 0;padding:12px 24px;background:${light.ground};border-radius:8px;${letters}"
  >
    <bdi>${code}</bdi>
  </p>`;
}

/** The link as text, for mail programs that show no button, and the code for apps that ask for one. */
function fallbackOf(url: string, code: string | undefined, { t }: Words): Html {
  const letters = `font:12px/18px ${monospaced};overflow-wrap:anywhere;word-break:break-all`;
  const typed =
    code !== undefined &&
    html`<p style="margin:12px 0 0">${t('layout.codeForApp')}</p>
      <p class="ink" dir="ltr" style="margin:4px 0 0;${letters}">${code}</p>`;
  const style = `margin:24px 0 0;padding:16px 0 0;border-top:1px solid ${light.line};color:${light.quiet};font-size:12px;line-height:18px`;
  return html`<div class="quiet line" style="${style}">
    <p style="margin:0">${t('layout.buttonFails')}</p>
    <p class="quiet" dir="ltr" style="margin:4px 0 0;${letters}">${url}</p>
    ${typed}
  </div>`;
}
