import { registeredUserEndpoints } from '../../../accounts/registeredUsers.endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { type Visit } from '../../../kit/pages/page';
import { voucherEndpoints } from '../../../vouchers/vouchers.endpoints';
import { formPage, type PageState, type VisitWith } from '../crudPages';
import { storedVoucherPage } from './vouchers';

const place = { feature: 'vouchers', auth: merchant('vouchers:write') } as const;
const { addVoucherRule, removeVoucherRule } = voucherEndpoints;

/** The page of the voucher, with an error beside its list of rules. */
const afterwards = {
  again: (visit: VisitWith<'id'>, { complaint }: PageState) => storedVoucherPage(visit, { rulesComplaint: complaint }),
  next: '/console/vouchers/{id}?done=saved',
};

/** The rules that limit a voucher. */
export const voucherRulePages = {
  addRuleInConsole: formPage({
    ...place,
    path: '/console/vouchers/{id}/rules',
    summary: 'Limits a voucher to an item, a package or a customer',
    work: async (visit) => {
      const { type, value } = await targetOf(visit, visit.form);
      return visit.call(addVoucherRule, { params: { id: visit.params.id, rule_type: type }, body: { value } });
    },
    ...afterwards,
  }),
  removeRuleInConsole: formPage({
    ...place,
    path: '/console/vouchers/{id}/rules/{rule_id}/remove',
    summary: 'Removes a rule from a voucher',
    work: ({ call, params }) => call(removeVoucherRule, { params }),
    ...afterwards,
  }),
};

/** Reads the target of a rule: `assets:12` from the menu of items, or an e-mail address. */
async function targetOf(visit: Visit, { target = '', email = '' }: { target?: string; email?: string }) {
  if (email === '') {
    const [type = '', value = ''] = target.split(':');
    return { type, value };
  }
  const query = { search: [`title:${email}`], active: 'all', limit: 500 };
  const { collection } = await visit.call(registeredUserEndpoints.listRegisteredUsers, { query });
  const customer = collection.find((each) => each.email.toLowerCase() === email.trim().toLowerCase());
  if (!customer) throw new AppError('account_does_not_exist', { errors: { email: 'There is no such customer.' } });
  return { type: 'emails', value: String(customer.id) };
}
