import { html, type Html } from '../../kit/html';

/** What each mail needs to be written. A secret (token, code) goes into a mail and nowhere else. */
export interface MailValues {
  activation: { token: string; url: string };
  password_reset: { token: string; url: string };
  password_changed: Record<string, never>;
  pin_code: { code: string };
}

export type MailTemplate = keyof MailValues;

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** A mail before it is text or HTML, so that both say the same. */
interface Content {
  subject: string;
  opening: string;
  link?: { url: string; label: string };
  /** What is to be typed. */
  code?: string;
  closing: string;
}

type Templates = { [T in MailTemplate]: (values: MailValues[T], brandName: string) => Content };

const minutes = 60;
const hours = 3600;

/** How long each mail is of use to its reader; after that it is not sent any more. */
export const usefulSeconds: Record<MailTemplate, number> = {
  activation: 24 * hours,
  password_reset: hours,
  password_changed: 72 * hours,
  pin_code: 10 * minutes,
};

const ignoreIt = 'If you did not ask for this, you can ignore this mail.';

const templates: Templates = {
  activation: ({ token, url }, brandName) => ({
    subject: `Activate your account at ${brandName}`,
    opening: 'Please confirm that this is your e-mail address. The link works once, for 24 hours.',
    link: { url, label: 'Activate my account' },
    code: token,
    closing: ignoreIt,
  }),
  password_reset: ({ token, url }, brandName) => ({
    subject: `Set a new password at ${brandName}`,
    opening: 'Here you can choose a new password. The link works once, for one hour.',
    link: { url, label: 'Choose a new password' },
    code: token,
    closing: `${ignoreIt} Your password stays as it is.`,
  }),
  password_changed: (_values, brandName) => ({
    subject: `Your password at ${brandName} was changed`,
    opening: 'The password of your account was just changed, and all other devices were signed out.',
    closing: 'If that was not you, ask for a new password at once.',
  }),
  pin_code: ({ code }, brandName) => ({
    subject: `Your code for ${brandName}`,
    opening: 'Enter this code where you were asked for it. It works once, for 10 minutes.',
    code,
    closing: ignoreIt,
  }),
};

/** The same mail, as text and as HTML, under the merchant's name. */
export function renderMail<T extends MailTemplate>(template: T, values: MailValues[T], brandName: string): MailText {
  const content = templates[template](values, oneLine(brandName));
  return { subject: content.subject, text: asText(content, brandName), html: asHtml(content, brandName).text };
}

function asText({ opening, link, code, closing }: Content, brandName: string): string {
  const parts = [opening, link && `${link.label}: ${link.url}`, code, closing, brandName];
  return `${parts.filter((part) => part !== undefined).join('\n\n')}\n`;
}

function asHtml({ subject, opening, link, code, closing }: Content, brandName: string): Html {
  const button = link ? html`<p><a href="${link.url}" style="${buttonStyle}">${link.label}</a></p>` : '';
  const typed = code === undefined ? '' : html`<p style="${codeStyle}">${code}</p>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${subject}</title>
      </head>
      <body style="margin:0;background:#f4f4f6;font:16px/1.5 system-ui,sans-serif;color:#1b1b1f">
        <div style="max-width:32rem;margin:2rem auto;padding:2rem;background:#fff;border-radius:12px">
          <h1 style="font-size:1.25rem;margin:0 0 1rem">${brandName}</h1>
          <p>${opening}</p>
          ${button} ${typed}
          <p style="color:#5c5c66">${closing}</p>
        </div>
      </body>
    </html>`;
}

const buttonStyle =
  'display:inline-block;padding:.75rem 1.25rem;border-radius:8px;background:#1b1b1f;color:#fff;text-decoration:none';
const codeStyle = 'font:600 1.125rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere';

/** A header is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
