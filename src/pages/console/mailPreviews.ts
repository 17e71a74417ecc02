import { z } from 'zod';
import { merchant } from '../../kit/auth';
import { html, Html } from '../../kit/html';
import { directionOf } from '../../kit/languages';
import { page, PageResponse, type Visit } from '../../kit/pages/page';
import { mailTextEndpoints } from '../../mail/texts/texts.endpoints';
import { type AnswerOf } from '../layout/answers';
import { attempt } from '../layout/explain';
import { textsFor } from '../layout/texts';
import { AnyForm } from './fields';
import { inConsole } from './frame';

/** The preview of a mail, in a frame beside its form. */

export const mailsAddress = '/console/branding/mails';
export const mailAddress = (kind: string, language: string) => `${mailsAddress}/${kind}/${language}`;
export const previewFrameName = 'mail-preview';

const inFrame = {
  ...inConsole,
  auth: merchant('branding:write'),
  path: `${mailsAddress}/{kind}/{language}/preview`,
  params: z.object({ kind: z.string(), language: z.string() }),
  isEmbeddable: true,
  isForFrames: true,
} as const;

export const mailPreviewPages = {
  showMailPreview: page({
    ...inFrame,
    method: 'get',
    summary: 'A preview of a mail with its saved text',
    handler: (visit) => previewPage(visit, visit.params),
  }),
  tryMailPreview: page({
    ...inFrame,
    method: 'post',
    summary: 'A preview of a mail with the text in the form',
    form: AnyForm,
    handler: (visit) => previewPage(visit, visit.params, visit.form),
  }),
};

type Preview = AnswerOf<typeof mailTextEndpoints.previewMailText>;

async function previewPage(visit: Visit, params: Record<string, string>, body: Record<string, string> = {}) {
  const tried = await attempt(textsFor(visit), () => visit.call(mailTextEndpoints.previewMailText, { params, body }));
  if ('done' in tried) return new PageResponse(wholeMail(visit, tried.done), { isForeign: true });
  const faults = Object.values(tried.refused.fields);
  if (faults.length === 0) throw tried.error;
  return new PageResponse(notice(visit, faults), { isForeign: true });
}

/** The mail, and below it the subject and the part for programs that show plain text. Links open in a new page. */
function wholeMail(visit: Visit, { subject, text, html: content }: Preview): Html {
  const { t, language } = textsFor(visit);
  const below = html`<div
    lang="${language}"
    dir="${directionOf(language)}"
    style="padding:16px;font:14px/20px sans-serif"
  >
    <p><strong>${t('console.mails.subject')}:</strong> <bdi>${subject}</bdi></p>
    <details>
      <summary>${t('console.mailbox.asText')}</summary>
      <pre dir="auto" style="white-space:pre-wrap">${text}</pre>
    </details>
  </div>`;
  return new Html(
    content.replace('<head>', '<head><base target="_blank" />').replace('</body>', () => `${below.text}</body>`),
  );
}

/** Why there is no preview. */
function notice(visit: Visit, faults: readonly string[]): Html {
  const { t, language } = textsFor(visit);
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="color-scheme" content="light dark" />
        <title>${t('console.branding.preview')}</title>
      </head>
      <body style="padding:16px;font:16px/24px sans-serif">
        ${faults.map((fault) => html`<p>${fault}</p>`)}
      </body>
    </html>`;
}
