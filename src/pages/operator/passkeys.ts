import { z } from 'zod';
import { page, Redirect, type PageResponse, type Visit } from '../../kit/pages/page';
import { newPasskeyCard, passkeyForms } from '../customer/passkeys';
import { attempt } from '../layout/explain';
import { textsFor } from '../layout/texts';
import { inOperator, securityPath, showInOperator } from './frame';
import { securityPage } from './security';

/** The passkeys of an operator. */

const keys = `${securityPath}/passkeys`;
const text = z.string().optional();
const form = z.object({ name: text, password: text, credential: text }).catchall(text);
const ofPasskey = { ...inOperator, method: 'post', params: z.object({ passkey_id: z.uuid() }), form } as const;

export const operatorPasskeyPages = {
  startOperatorPasskey: page({
    ...inOperator,
    method: 'post',
    path: keys,
    summary: 'Shows the button that creates a passkey',
    form,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const outcome = await attempt(texts, () => passkeyForms.start(visit, visit.form));
      if ('refused' in outcome) return securityPage(visit, { keyComplaint: outcome.refused });
      const card = newPasskeyCard(visit, texts, { address: keys, name: visit.form.name ?? '', options: outcome.done });
      const back = { address: securityPath, text: texts.t('operator.sections.security') };
      return showInOperator(visit, { section: 'security', title: texts.t('passkeys.createTitle'), back }, card);
    },
  }),
  createOperatorPasskey: page({
    ...inOperator,
    method: 'post',
    path: `${keys}/new`,
    summary: 'Stores a passkey',
    form,
    handler: (visit) => change(visit, () => passkeyForms.create(visit, visit.form)),
  }),
  renameOperatorPasskey: page({
    ...ofPasskey,
    path: `${keys}/{passkey_id}`,
    summary: 'Renames a passkey',
    handler: (visit) => change(visit, () => passkeyForms.rename(visit, visit.params.passkey_id, visit.form)),
  }),
  removeOperatorPasskey: page({
    ...ofPasskey,
    path: `${keys}/{passkey_id}/remove`,
    summary: 'Removes a passkey',
    handler: (visit) => change(visit, () => passkeyForms.remove(visit, visit.params.passkey_id, visit.form)),
  }),
};

async function change(visit: Visit, work: () => Promise<unknown>): Promise<PageResponse | Redirect> {
  const outcome = await attempt(textsFor(visit), work);
  if ('refused' in outcome) return securityPage(visit, { keyComplaint: outcome.refused });
  return new Redirect(`${securityPath}?done=changed`);
}
