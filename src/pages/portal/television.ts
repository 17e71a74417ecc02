import { z } from 'zod';
import { pairingEndpoints } from '../../accounts/pairings/pairings.endpoints';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { placeText } from '../customer/sessions';
import { type AnswerOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { addressIn, good, inPortal, openPortal, type Portal, portalPath, showInPortal, text } from './frame';

/** Signs in a television with the code that it shows. */

const atTelevision = { ...inPortal, path: `${portalPath}/tv` } as const;

export const televisionPages = {
  showTelevision: page({
    ...atTelevision,
    method: 'get',
    summary: 'Enter the code of a television, and confirm its sign-in',
    query: z.object({ code: text, done: text, lang: text }),
    handler: async (visit) => {
      const { code, done } = visit.query;
      const portal = await openPortal(visit);
      return code === undefined || code.trim() === '' ? codePage(portal, { done }) : confirmPage(portal, code);
    },
  }),
  enterTelevisionCode: page({
    ...atTelevision,
    method: 'post',
    summary: 'Enter the code of a television',
    form: z.object({ user_code: text }),
    handler: async (visit) => {
      const { user_code: code = '' } = visit.form;
      const portal = await openPortal(visit);
      if (code.trim() !== '') return new Redirect(addressIn(portal, 'tv', { code }));
      const message = portal.texts.t('portal.television.codeMissing');
      return codePage(portal, { complaint: { message, fields: { user_code: message } } });
    },
  }),
  answerTelevision: page({
    ...atTelevision,
    method: 'post',
    path: `${portalPath}/tv/answer`,
    summary: 'Sign in a television, or refuse it',
    form: z.object({ user_code: text, answer: z.enum(['approve', 'refuse']) }),
    handler: async (visit) => {
      const { user_code = '', answer } = visit.form;
      const portal = await openPortal(visit);
      const body = { is_approved: String(answer === 'approve') };
      const call = () => visit.call(pairingEndpoints.answerPairing, { params: { user_code }, body });
      const tried = await attempt(portal.texts, call);
      if ('refused' in tried) return codePage(portal, { code: user_code, complaint: asField(tried.refused) });
      return new Redirect(addressIn(portal, 'tv', { done: answer === 'approve' ? 'paired' : 'refused' }));
    },
  }),
};

interface CodeForm {
  code?: string;
  complaint?: Complaint;
  done?: string | undefined;
}

function codePage(portal: Portal, { code, complaint, done }: CodeForm): PageResponse {
  const { t } = portal.texts;
  const label = t('portal.television.code');
  const content = html`${complaints(portal.texts, complaint, { user_code: label })}
  ${field(portal.texts, {
    name: 'user_code',
    label,
    value: code,
    complaint,
    hint: t('portal.television.codeHint'),
    isRequired: true,
    autocomplete: 'one-time-code',
    maxlength: 20,
    more: { dir: 'ltr', autocapitalize: 'characters', spellcheck: 'false' },
  })}
  ${submit(t('common.continue'))}`;
  const notice = done === 'paired' || done === 'refused' ? good(t(`portal.television.${done}`)) : undefined;
  return showTelevisionPage(
    portal,
    html`<section class="card slender">
      ${form(portal.visit, { action: addressIn(portal, 'tv'), content, name: 'television-code' })}
    </section>`,
    { notice, status: complaint ? 422 : 200 },
  );
}

async function confirmPage(portal: Portal, code: string): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const tried = await attempt(texts, () => visit.call(pairingEndpoints.getPairing, { params: { user_code: code } }));
  if ('refused' in tried) return codePage(portal, { code, complaint: asField(tried.refused) });
  const { user_code: shown } = tried.done;
  const content = html`<input type="hidden" name="user_code" value="${shown}" />
    <div class="row">
      ${submit(t('portal.television.approve'), { name: 'answer', value: 'approve' })}
      ${submit(t('portal.television.refuse'), { name: 'answer', value: 'refuse', kind: 'plain' })}
    </div>`;
  return showTelevisionPage(
    portal,
    html`<section class="card stack slender">
      <p class="pairing-code"><bdi dir="ltr">${shown}</bdi></p>
      ${deviceFacts(portal, tried.done)}
      <p>${t('portal.television.warning')}</p>
      ${form(visit, { action: addressIn(portal, 'tv/answer'), content, name: 'television-answer' })}
    </section>`,
  );
}

function deviceFacts({ texts }: Portal, device: AnswerOf<typeof pairingEndpoints.getPairing>): Html {
  const named = texts.series([device.device_name, device.device_os]);
  return html`<div class="tight">
    <p class="strong"><bdi>${named === '' ? texts.t('sessions.unknownDevice') : named}</bdi></p>
    <p class="quiet small">${placeText(texts, device)}</p>
  </div>`;
}

/** The form has one field, so each error is shown there. */
const asField = (refused: Complaint): Complaint => ({ ...refused, fields: { user_code: refused.message } });

function showTelevisionPage(
  portal: Portal,
  content: Html,
  { notice, status = 200 }: { notice?: Html | undefined; status?: 200 | 422 } = {},
): PageResponse {
  const { t } = portal.texts;
  const back = { address: addressIn(portal, 'security'), text: t('portal.sections.security') };
  return showInPortal(portal, { section: 'security', title: t('portal.television.title'), back, notice }, content, {
    status,
  });
}
