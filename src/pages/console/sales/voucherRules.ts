import { z } from 'zod';
import { registeredUserEndpoints } from '../../../accounts/registeredUsers/endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { page, type Visit } from '../../../kit/pages/page';
import { voucherEndpoints } from '../../../vouchers/endpoints';
import { carryOut, IdPath, inConsole } from '../frame';
import { storedVoucherPage } from './vouchers';

const writing = { ...inConsole, feature: 'vouchers', auth: merchant('vouchers:write'), method: 'post' } as const;

const RuleForm = z.object({ target: z.string().optional(), email: z.string().optional() });

/** What a voucher is limited to. */
export const voucherRulePages = {
  addRuleInConsole: page({
    ...writing,
    path: '/console/vouchers/{id}/rules',
    summary: 'Limits a voucher to an item, a package or a customer',
    params: IdPath,
    form: RuleForm,
    handler: (visit) => {
      const { id } = visit.params;
      return carryOut(visit, {
        work: async () => {
          const { type, value } = await targetOf(visit, visit.form);
          const params = { id, rule_type: type };
          return visit.call(voucherEndpoints.addVoucherRule, { params, body: { value } });
        },
        again: (complaint) => storedVoucherPage(visit, id, { rulesComplaint: complaint }),
        next: `/console/vouchers/${id}?done=saved`,
      });
    },
  }),
  removeRuleInConsole: page({
    ...writing,
    path: '/console/vouchers/{id}/rules/{rule_id}/remove',
    summary: 'Takes a rule from a voucher',
    params: z.object({ id: z.string(), rule_id: z.string() }),
    handler: (visit) => {
      const { params } = visit;
      return carryOut(visit, {
        work: () => visit.call(voucherEndpoints.removeVoucherRule, { params }),
        again: (complaint) => storedVoucherPage(visit, params.id, { rulesComplaint: complaint }),
        next: `/console/vouchers/${params.id}?done=saved`,
      });
    },
  }),
};

/** `assets:12` as the menu names an item, or whose address was written. */
async function targetOf(visit: Visit, { target = '', email = '' }: z.output<typeof RuleForm>) {
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
