import { z } from 'zod';
import { page, Redirect } from '../../kit/pages/page';
import { newPasskeyCard, passkeyForms } from '../customer/passkeys';
import { attempt } from '../layout/explain';
import { addressIn, inPortal, openPortal, type Portal, portalPath, showInPortal, text } from './frame';
import { securityPage } from './security';

/** The forms by which a customer adds, renames and removes passkeys. */

const path = `${portalPath}/security/passkeys` as const;
const inPasskeys = { ...inPortal, method: 'post' } as const;
const ofPasskey = { ...inPasskeys, params: inPortal.params.extend({ passkey_id: z.string() }) } as const;
const AnyForm = z.object({}).catchall(z.string());

export const passkeyPages = {
  startPasskeyInPortal: page({
    ...inPasskeys,
    path,
    summary: 'Shows the button that creates a passkey',
    form: z.object({ name: text, password: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const outcome = await attempt(portal.texts, () => passkeyForms.start(visit, visit.form));
      if ('refused' in outcome) return securityPage(portal, { keyComplaint: outcome.refused });
      const { texts } = portal;
      const back = { address: addressIn(portal, 'security'), text: texts.t('portal.sections.security') };
      const position = { section: 'security', title: texts.t('passkeys.createTitle'), back } as const;
      const made = {
        address: addressIn(portal, 'security/passkeys'),
        name: visit.form.name ?? '',
        options: outcome.done,
      };
      return showInPortal(portal, position, newPasskeyCard(visit, texts, made));
    },
  }),
  createPasskeyInPortal: page({
    ...inPasskeys,
    path: `${path}/new`,
    summary: 'Stores a passkey',
    form: AnyForm,
    handler: async (visit) => {
      const portal = await openPortal(visit);
      return finish(portal, 'passkeySaved', () => passkeyForms.create(visit, visit.form));
    },
  }),
  renamePasskeyInPortal: page({
    ...ofPasskey,
    path: `${path}/{passkey_id}`,
    summary: 'Renames a passkey',
    form: AnyForm,
    handler: async (visit) => {
      const portal = await openPortal(visit);
      return finish(portal, 'passkeySaved', () => passkeyForms.rename(visit, visit.params.passkey_id, visit.form));
    },
  }),
  removePasskeyInPortal: page({
    ...ofPasskey,
    path: `${path}/{passkey_id}/remove`,
    summary: 'Removes a passkey',
    form: AnyForm,
    handler: async (visit) => {
      const portal = await openPortal(visit);
      return finish(portal, 'passkeyRemoved', () => passkeyForms.remove(visit, visit.params.passkey_id, visit.form));
    },
  }),
};

async function finish(portal: Portal, done: string, work: () => Promise<unknown>) {
  const outcome = await attempt(portal.texts, work);
  if ('refused' in outcome) return securityPage(portal, { keyComplaint: outcome.refused });
  return new Redirect(addressIn(portal, 'security', { done }));
}
