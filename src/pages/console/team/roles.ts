import { staffEndpoints } from '../../../accounts/staff/staff.endpoints';
import { merchant } from '../../../kit/auth';
import { html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { grantableScopes } from '../../../kit/staffRoles';
import { complaints, field, form, submit } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { crudPages, type PageState } from '../crudPages';
import { filled } from '../fields';
import { confirmButton, formCard, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { emptyCard } from '../../layout/lists';
import { chosen, scopeBoxes } from '../scopeBoxes';

const address = '/console/team/roles';
const pages = crudPages({ address, auth: merchant('staff:write'), list: rolesPage });

export const staffRolePages = {
  showStaffRoles: pages.list('The roles that the merchant has defined'),
  createStaffRoleInConsole: pages.create('Defines a role', ({ call, form }) =>
    call(staffEndpoints.createStaffRole, { body: { name: form['name'], scopes: chosen(form) } }),
  ),
  updateStaffRoleInConsole: pages.update('Changes a role', ({ call, params, form }) =>
    call(staffEndpoints.updateStaffRole, { params, body: { name: form[`name_${params.id}`], scopes: chosen(form) } }),
  ),
  deleteStaffRoleInConsole: pages.delete('Deletes a role', ({ call, params }) =>
    call(staffEndpoints.deleteStaffRole, { params }),
  ),
};

async function rolesPage(visit: MerchantVisit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const roles = await visit.call(staffEndpoints.listStaffRoles);
  const offered = grantableScopes.filter((scope) => visit.caller.scopes.includes(scope));
  const cards = roles.map(({ id, name, scopes }) => {
    const content = html`${field(texts, { name: `name_${id}`, value: name, label: t('console.team.roleName'), isRequired: true })}
    ${scopeBoxes(texts, { held: scopes, of: String(id), offered })} ${submit(t('common.save'))}`;
    return html`<section class="card stack">
      <div class="row spread">
        <h2>${name}</h2>
        ${confirmButton(visit, { action: `${address}/${id}/delete`, label: t('console.team.deleteRole'), question: t('console.team.deleteRoleQuestion') })}
      </div>
      ${form(visit, { action: `${address}/${id}`, content })}
    </section>`;
  });
  const held = grantableScopes.filter((scope) => values[`scope_${scope}`] === 'true');
  const known = filled(values, complaint)('name');
  const blank = html`${complaints(texts, complaint, ['name'])}
  ${field(texts, { ...known, label: t('console.team.roleName'), isRequired: true })}
  ${scopeBoxes(texts, { held, of: 'new', offered })} ${submit(t('console.team.createRole'))}`;
  const content = html`<p class="quiet">${t('console.team.ownHint')}</p>
    ${roles.length === 0 ? emptyCard(t('console.team.noRoles'), 'shield') : cards}
    ${formCard(visit, address, blank, t('console.team.createRole'))}`;
  const back = { address: '/console/team', text: t('console.team.title') };
  const frame = { section: 'team', title: t('console.team.own'), done, back } as const;
  return showInConsole(visit, frame, content, refusedIf(complaint));
}
