import { companyEndpoints } from '../../../accounts/company/company.endpoints';
import { staffEndpoints } from '../../../accounts/staff/staff.endpoints';
import { mayCall, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { complaints, field, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, formPage, type PageState } from '../crudPages';
import { filled } from '../fields';
import { confirmButton, folded, formCard, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { breakable, fileOf, table, when } from '../lists';
import { roleChoices, roleFields, roleText } from './choices';

const address = '/console/team';
const auth = merchant('staff:write');
const companyAuth = companyEndpoints.getCompanyProvider.auth;
const pages = crudPages({ address, auth, list: teamPage });

export const teamPages = {
  showTeam: pages.list('The staff of the merchant and its invitations'),
  inviteToTeam: pages.create('Invites a person to the staff', ({ call, form: { email, role } }) =>
    call(staffEndpoints.inviteStaff, { body: { email, ...roleFields(role) } }),
  ),
  changeTeamRole: pages.act('role')('Gives a member of the staff another role', ({ call, params, form }) =>
    call(staffEndpoints.changeStaffRole, { params, body: roleFields(form[`role_${params.id}`]) }),
  ),
  removeFromTeam: pages.act('remove')(
    'Removes a member of the staff',
    ({ call, params }) => call(staffEndpoints.removeStaff, { params }),
    { next: `${address}?done=deleted` },
  ),
  resendInvitation: formPage({
    auth,
    path: `${address}/invitations/{id}/resend`,
    summary: 'Mails an invitation again',
    work: ({ call, params }) => call(staffEndpoints.resendStaffInvitation, { params }),
    next: `${address}?done=sent`,
  }),
  withdrawInvitation: formPage({
    auth,
    path: `${address}/invitations/{id}/withdraw`,
    summary: 'Withdraws an invitation',
    work: ({ call, params }) => call(staffEndpoints.withdrawStaffInvitation, { params }),
    next: `${address}?done=deleted`,
  }),
};

type Choices = Awaited<ReturnType<typeof roleChoices>>;

async function teamPage(visit: MerchantVisit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const choices = await roleChoices(visit, texts);
  const content = html`${await memberTable(visit, texts, choices)} ${await invitationTable(visit, texts)}
  ${formCard(visit, address, inviteForm(texts, choices, { complaint, values }), t('console.team.invite'))}`;
  const actions = html`<a class="button slim" href="${address}/roles">${t('console.team.own')}</a>
    ${mayCall(companyAuth, visit.caller) && html`<a class="button slim" href="${address}/company">${t('console.company.title')}</a>`}`;
  const place = { section: 'team', title: t('console.team.title'), actions, done } as const;
  return showInConsole(visit, place, content, refusedIf(complaint));
}

function inviteForm(texts: Texts, choices: Choices, { complaint, values = {} }: PageState): Html {
  const { t } = texts;
  const known = (name: string) => ({ ...filled(values, complaint)(name), isRequired: true });
  return html`${complaints(texts, complaint, ['email', 'role'])}
    <p class="quiet">${t('console.team.inviteHint')}</p>
    <div class="halves">
      ${field(texts, { ...known('email'), type: 'email', label: t('common.email') })}
      ${select(texts, { ...known('role'), label: t('console.team.role'), choices })}
    </div>
    ${submit(t('console.team.invite'))}`;
}

async function memberTable(visit: MerchantVisit, texts: Texts, choices: Choices): Promise<Html> {
  const { t } = texts;
  const members = await visit.call(staffEndpoints.listStaff);
  type Member = (typeof members)[number];
  const actions = (member: Member): Html => {
    const { id, is_merchant: isMerchant, scopes } = member;
    if (isMerchant) return html`<span class="quiet small">${t('console.team.merchant')}</span>`;
    if (!scopes.every((scope) => visit.caller.scopes.some((own) => own === scope))) return html``;
    const role = select(texts, { name: `role_${id}`, label: t('console.team.role'), choices, value: keyOf(member) });
    const content = html`<p class="quiet small">${t('console.team.changeHint')}</p>
      ${role} ${submit(t('common.save'))}`;
    const change = form(visit, { action: `${address}/${id}/role`, content, name: `role-${id}` });
    return html`${folded(t('console.team.change'), change, false)}
    ${confirmButton(visit, { action: `${address}/${id}/remove`, label: t('console.team.remove'), question: t('console.team.removeQuestion') })}`;
  };
  const rows = table<Member>({
    title: t('console.team.title'),
    columns: [
      { title: t('common.fullName'), cell: ({ full_name: name }) => name },
      { title: t('common.email'), cell: ({ email }) => breakable(email) },
      { title: t('console.team.role'), cell: (member) => roleText(texts, member) },
      {
        title: t('console.team.lastSignIn'),
        cell: ({ last_sign_in_at: at }) => (at === null ? t('console.team.never') : when(texts, at)),
      },
      { title: t('console.team.change'), cell: actions },
    ],
    rows: members,
    empty: '',
  });
  return html`${rows} ${fileOf(visit, texts, members, { list: 'staff', query: {} })}`;
}

const keyOf = ({ role, role_id: id }: { role: string | null; role_id: number | null }) => role ?? String(id);

async function invitationTable(visit: MerchantVisit, texts: Texts): Promise<Html> {
  const { t } = texts;
  const invitations = await visit.call(staffEndpoints.listStaffInvitations);
  type Invitation = (typeof invitations)[number];
  const actions = ({ id }: Invitation): Html => {
    const own = `${address}/invitations/${id}`;
    return html`${confirmButton(visit, { action: `${own}/resend`, label: t('console.team.resend'), question: t('console.team.resendQuestion'), isDangerous: false })}
    ${confirmButton(visit, { action: `${own}/withdraw`, label: t('console.team.withdraw'), question: t('console.team.withdrawQuestion') })}`;
  };
  const rows = table<Invitation>({
    title: t('console.team.invitations'),
    columns: [
      { title: t('common.email'), cell: ({ email }) => breakable(email) },
      { title: t('console.team.role'), cell: (invitation) => roleText(texts, invitation) },
      {
        title: t('console.team.until'),
        cell: ({ is_expired: isExpired, expires_at: at }) => (isExpired ? t('console.team.expired') : when(texts, at)),
      },
      { title: t('console.fields.actions'), cell: actions },
    ],
    rows: invitations,
    empty: t('console.team.noInvitations'),
  });
  return html`<h2>${t('console.team.invitations')}</h2>
    ${rows} ${fileOf(visit, texts, invitations, { list: 'staff-invitations', query: {} })}`;
}
