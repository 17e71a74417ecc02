import { type MailBrand } from '../branding/branding';
import { contrast, readableOn } from '../kit/colours';
import { html, Html } from '../kit/html';
import { directionOf, type Language } from '../kit/languages';
import { textOfHtml } from '../adapters/html';
import { type Words, wordsIn } from './words';

/** The content of a mail, from which its text and its HTML are made. */
export interface MailContent {
  language: Language;
  subject: string;
  opening: string;
  link?: { url: string; label: string };
  /** A text to type or to copy. */
  code?: string;
  closing: string;
}

export function asText({ language, opening, link, code, closing }: MailContent, brand: MailBrand): string {
  const { t } = wordsIn[language];
  const footer = [brand.name, textOfHtml(brand.footer), brand.termsUrl].filter(Boolean).join('\n');
  const typed = code === undefined ? undefined : t('layout.code', { code });
  const parts = [opening, link && `${link.label}: ${link.url}`, typed, closing, `-- \n${footer}`];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

/**
 * Uses tables and inline styles, because mail programs support little else. The colour scheme is light, because brands
 * choose their colours for it.
 */
export function asHtml(content: MailContent, brand: MailBrand): Html {
  const { language, subject, opening } = content;
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      ${headOf(subject)}
      <body style="margin:0;padding:0;background:${ground};-webkit-text-size-adjust:100%">
        <div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${opening}</div>
        <table ${layout} width="100%" style="background:${ground};font:16px/1.5 ${fonts};color:${ink}">
          <tr>
            <td align="center" style="padding:32px 16px">
              ${cardOf(content, brand)}
              <table ${layout} width="100%" style="max-width:560px">
                <tr>
                  <td class="footer" style="padding:24px 24px 0;color:${quiet};font-size:13px;text-align:center">
                    ${new Html(brand.footer)} ${footLineOf(brand, wordsIn[language])}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>`;
}

function headOf(subject: string): Html {
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light" />
    <meta name="supported-color-schemes" content="light" />
    <title>${subject}</title>
    <style>
      .footer a {
        color: ${quiet};
      }
      .footer p,
      .footer h2,
      .footer h3,
      .footer h4 {
        margin: 0 0 8px;
        font-size: 13px;
      }
      .footer ul,
      .footer ol {
        margin: 0 0 8px;
        padding: 0;
        list-style-position: inside;
      }
      .footer img {
        max-width: 100%;
        height: auto;
      }
      @media (max-width: 480px) {
        .card td {
          padding-left: 24px !important;
          padding-right: 24px !important;
        }
      }
    </style>
  </head>`;
}

function cardOf({ language, subject, opening, link, code, closing }: MailContent, brand: MailBrand): Html {
  const style = `${cardStyle(directionOf(language))};border-top:6px solid ${brand.primaryColor}`;
  return html`<table ${layout} class="card" width="100%" style="${style}">
    <tr>
      <td style="padding:32px 40px 0">${signOf(brand)}</td>
    </tr>
    <tr>
      <td style="padding:24px 40px 0">
        <h1 style="margin:0;font-size:22px;line-height:1.3;font-weight:700">${subject}</h1>
        <p style="margin:12px 0 0">${opening}</p>
      </td>
    </tr>
    ${link ? buttonOf(link, brand) : ''} ${code !== undefined && !link ? codeOf(code) : ''}
    <tr>
      <td style="padding:24px 40px ${link ? '24px' : '40px'};color:${quiet};font-size:14px">${closing}</td>
    </tr>
    ${link ? fallbackOf(link.url, code, wordsIn[language]) : ''}
  </table>`;
}

const ground = '#f4f4f6';
const paper = '#ffffff';
const ink = '#1b1b1f';
const quiet = '#5c5c66';
const line = '#e4e4e9';
const fonts = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const monospaced = 'ui-monospace,Menlo,Consolas,monospace';
const layout = new Html('role="presentation" cellpadding="0" cellspacing="0" border="0"');
const cardStyle = (direction: 'ltr' | 'rtl') =>
  `max-width:560px;background:${paper};border-radius:12px;border-collapse:separate;text-align:${direction === 'rtl' ? 'right' : 'left'}`;

/** The logo, with the name as its alternative text, or the name alone. */
function signOf({ name, logoUrl }: MailBrand): Html {
  const style = 'font-size:18px;font-weight:700;line-height:40px';
  if (logoUrl === '') return html`<div style="${style}">${name}</div>`;
  const picture = 'display:block;height:40px;width:auto;max-width:240px;border:0';
  return html`<img src="${logoUrl}" alt="${name}" height="40" style="${picture};${style}" />`;
}

function buttonOf({ url, label }: { url: string; label: string }, { buttonColor, buttonTextColor }: MailBrand): Html {
  const text = readableOn(buttonColor, buttonTextColor);
  // A button in the colour of the paper needs a border.
  const edge = `border:1px solid ${contrast(paper, buttonColor) < 1.2 ? line : buttonColor}`;
  const style = `display:inline-block;padding:14px 28px;color:${text};font-weight:600;text-decoration:none`;
  return html`<tr>
    <td style="padding:28px 40px 0">
      <table ${layout}>
        <tr>
          <td bgcolor="${buttonColor}" style="background:${buttonColor};border-radius:8px;${edge}">
            <a href="${url}" style="${style}">${label}</a>
          </td>
        </tr>
      </table>
    </td>
  </tr>`;
}

function codeOf(code: string): Html {
  const style = `display:inline-block;padding:12px 24px;background:${ground};border-radius:8px`;
  const letters = `font:700 30px/1.3 ${monospaced};letter-spacing:6px`;
  return html`<tr>
    <td style="padding:24px 40px 0"><span style="${style};${letters}">${code}</span></td>
  </tr>`;
}

/** The link as text, for mail programs that show no button, and the code for apps that ask for one. */
function fallbackOf(url: string, code: string | undefined, { t }: Words): Html {
  const letters = `font:12px/1.5 ${monospaced};overflow-wrap:anywhere;word-break:break-all;color:${ink}`;
  const typed =
    code === undefined
      ? ''
      : html`<p style="margin:12px 0 0">${t('layout.codeForApp')}</p>
          <p style="margin:4px 0 0;${letters}">${code}</p>`;
  return html`<tr>
    <td style="padding:20px 40px 32px;border-top:1px solid ${line};color:${quiet};font-size:13px">
      <p style="margin:0">${t('layout.buttonFails')}</p>
      <p style="margin:4px 0 0;${letters}">${url}</p>
      ${typed}
    </td>
  </tr>`;
}

function footLineOf({ name, termsUrl }: MailBrand, { t }: Words): Html {
  const terms = termsUrl === '' ? '' : html` · <a href="${termsUrl}" style="color:${quiet}">${t('layout.terms')}</a>`;
  return html`<p style="margin:8px 0 0">${name}${terms}</p>`;
}
