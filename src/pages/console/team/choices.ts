import { staffEndpoints } from '../../../accounts/staff/staff.endpoints';
import { type Caller, type Scope } from '../../../kit/auth';
import { type Visit } from '../../../kit/pages/page';
import { scopesOfRole, staffRoleNames } from '../../../kit/staffRoles';
import { named, type Texts } from '../../layout/texts';

/** The roles that the visitor may give, as the choices of a list: `admin`, or the id of a role of the merchant. */
export async function roleChoices(visit: Visit & { caller: Caller }, texts: Texts): Promise<[string, string][]> {
  const { scopes } = visit.caller;
  const mayGive = (granted: readonly string[]) => granted.every((scope) => scopes.includes(scope as Scope));
  const own = await visit.call(staffEndpoints.listStaffRoles);
  return [
    ...staffRoleNames
      .filter((name) => mayGive(scopesOfRole(name)))
      .map((name): [string, string] => [name, roleText(texts, { role: name, role_name: name })]),
    ...own.filter(({ scopes }) => mayGive(scopes)).map(({ id, name }): [string, string] => [String(id), name]),
  ];
}

/** The chosen role as the fields of a request. */
export function roleFields(choice = ''): Record<string, string> {
  return /^\d+$/.test(choice) ? { role_id: choice } : { role: choice };
}

export const roleText = (texts: Texts, { role, role_name: name }: { role: string | null; role_name: string }) =>
  role === null ? name : named(texts, 'team.roles', role);
