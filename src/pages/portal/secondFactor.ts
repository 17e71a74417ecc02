import { z } from 'zod';
import { secondFactorEndpoints } from '../../accounts/secondFactors/secondFactors.endpoints';
import { type Visit, page, Redirect, type PageResponse } from '../../kit/pages/page';
import { codesCard, type NewFactor, type RefusedForm, setUpCard } from '../customer/secondFactor';
import { attempt, type Complaint } from '../layout/explain';
import { addressIn, inPortal, openPortal, type Portal, portalPath, showInPortal, text } from './frame';
import { securityPage } from './security';

/** The forms by which a customer switches the second factor on and off. */

const path = `${portalPath}/security/second-factor` as const;
const inFactor = { ...inPortal, method: 'post' } as const;
const ofFactor = { ...inFactor, params: inPortal.params.extend({ factor_id: z.string() }) } as const;
const { startSecondFactor, confirmSecondFactor, deleteSecondFactor, createRecoveryCodes } = secondFactorEndpoints;

export const secondFactorPages = {
  startFactorInPortal: page({
    ...inFactor,
    path,
    summary: 'Shows the picture for the authenticator app',
    form: z.object({ password: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { password } = visit.form;
      const outcome = await attempt(portal.texts, () => visit.callOnce(startSecondFactor, { body: { password } }));
      if ('refused' in outcome) return refuse(portal, 'start', outcome.refused);
      return setUpPage(portal, outcome.done.id, { started: outcome.done });
    },
  }),
  confirmFactorInPortal: page({
    ...ofFactor,
    path: `${path}/{factor_id}/confirm`,
    summary: 'Switches the second factor on, and shows the recovery codes',
    form: z.object({ code: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { factor_id } = visit.params;
      const sent = { params: { factor_id }, body: { code: visit.form.code } };
      const outcome = await attempt(portal.texts, () => visit.callOnce(confirmSecondFactor, sent));
      if ('refused' in outcome) return setUpPage(portal, factor_id, { complaint: outcome.refused });
      return codesPage(portal, outcome.done.recovery_codes);
    },
  }),
  renewCodesInPortal: page({
    ...inFactor,
    path: `${path}/recovery-codes`,
    summary: 'Replaces the recovery codes, and shows them',
    form: z.object({ newCodes_code: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const body = { code: visit.form.newCodes_code };
      const outcome = await attempt(portal.texts, () => visit.callOnce(createRecoveryCodes, { body }));
      if ('refused' in outcome) return refuse(portal, 'newCodes', outcome.refused);
      return codesPage(portal, outcome.done.recovery_codes);
    },
  }),
  switchFactorOffInPortal: page({
    ...ofFactor,
    path: `${path}/{factor_id}/off`,
    summary: 'Switches the second factor off',
    form: z.object({ switchOff_code: text }),
    handler: async (visit) => switchOff(visit, await openPortal(visit), visit.form.switchOff_code),
  }),
};

async function switchOff(
  visit: Visit & { params: { factor_id: string } },
  portal: Portal,
  code: string | undefined,
): Promise<PageResponse | Redirect> {
  const { factor_id } = visit.params;
  const sent = { params: { factor_id }, body: { code } };
  const outcome = await attempt(portal.texts, () => visit.callOnce(deleteSecondFactor, sent));
  if ('refused' in outcome) return refuse(portal, 'switchOff', outcome.refused);
  return new Redirect(addressIn(portal, 'security', { done: 'factorOff' }));
}

const refuse = (portal: Portal, form: RefusedForm['form'], complaint: Complaint) =>
  securityPage(portal, { refused: { form, complaint } });

function setUpPage(
  portal: Portal,
  factorId: string,
  { started, complaint }: { started?: NewFactor; complaint?: Complaint },
): PageResponse {
  const { visit, texts } = portal;
  const action = addressIn(portal, `security/second-factor/${encodeURIComponent(factorId)}/confirm`);
  const back = { address: addressIn(portal, 'security'), text: texts.t('portal.sections.security') };
  const position = { section: 'security', title: texts.t('secondFactor.setUpTitle'), back } as const;
  const content = setUpCard(visit, texts, { action, started, complaint });
  return showInPortal(portal, position, content, complaint ? { status: 422 } : {});
}

function codesPage(portal: Portal, codes: readonly string[]): PageResponse {
  const position = { section: 'security', title: portal.texts.t('secondFactor.codesTitle') } as const;
  return showInPortal(portal, position, codesCard(portal.texts, codes, addressIn(portal, 'security')));
}
