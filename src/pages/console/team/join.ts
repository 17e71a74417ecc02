import { z } from 'zod';
import { findInvitation } from '../../../accounts/staff/invitations';
import { staffEndpoints } from '../../../accounts/staff/staff.endpoints';
import { anyone } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { page, Redirect, type PageResponse, type Visit } from '../../../kit/pages/page';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, field, form, submit } from '../../layout/forms';
import { show } from '../../layout/page';
import { textsFor } from '../../layout/texts';
import { AnyForm, asText } from '../fields';
import { companyWay } from '../companyEntry';
import { consoleTheme } from '../frame';

const place = {
  area: 'console',
  auth: anyone(),
  path: '/console/join/{token}',
  params: z.object({ token: z.string() }),
} as const;

/** The page to which the mail of an invitation leads. */
export const joinPages = {
  showInvitation: page({
    ...place,
    method: 'get',
    summary: 'An invitation to the staff of a merchant',
    handler: (visit) => invitationPage(visit, visit.params.token),
  }),
  acceptInvitation: page({
    ...place,
    method: 'post',
    summary: 'Accepts an invitation and signs in',
    form: AnyForm,
    handler: async (visit) => {
      const { token } = visit.params;
      const { full_name, password } = visit.form;
      const body = { token, full_name, password, password_confirmation: password };
      const outcome = await attempt(textsFor(visit), () => visit.call(staffEndpoints.acceptStaffInvitation, { body }));
      if ('refused' in outcome) return invitationPage(visit, token, outcome.refused, full_name);
      const { access_token, expires } = outcome.done;
      return new Redirect('/console', { signIn: { token: access_token, expiresAtSeconds: expires } });
    },
  }),
};

async function invitationPage(
  visit: Visit,
  token: string,
  complaint?: Complaint,
  fullName?: string,
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const theme = { ...consoleTheme, name: t('console.name') };
  const invitation = await findInvitation(token);
  if (!invitation) {
    const title = t('console.team.invalid');
    const content = html`<div class="card stack">
      <h1>${title}</h1>
      <p>${t('console.team.invalidHint')}</p>
    </div>`;
    return show(visit, { title, theme, isNarrow: true }, content, { status: 404 });
  }
  const { merchantName: merchant, merchantUuid: company, email, isOwner } = invitation;
  const title = t('console.team.joinTitle', { merchant });
  const fields = html`${complaints(texts, complaint, ['full_name', 'password'])}
    <p>${t('console.team.joinHint', { email })}</p>
    ${field(texts, { name: 'full_name', value: asText(fullName), complaint, label: t('common.fullName'), autocomplete: 'name', isRequired: true })}
    ${field(texts, { name: 'password', complaint, type: 'password', label: t('common.password'), autocomplete: 'new-password', hint: t('console.passwordHint'), isRequired: true })}
    ${submit(t('console.team.join'), { isFull: true })}`;
  const content = html`<div class="card stack">
    <h1>${title}</h1>
    ${isOwner ? '' : await companyWay(visit, texts, { company, next: '' })}
    ${form(visit, { action: `/console/join/${token}`, content: fields })}
  </div>`;
  return show(visit, { title, theme, isNarrow: true }, content, complaint ? { status: 422 } : {});
}
