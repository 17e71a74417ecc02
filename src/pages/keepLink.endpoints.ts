import { endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findKeepLinkMerchant, findKeptPlan, keepByLink } from '../subscriptions/mailLinks/keepLinks';
import { homeOf } from './customer/home';
import { keptPlanPage } from './keepLink';
import { mailLinkPage, redirectTo } from './customer/mailLinkPages';

/** The page behind the link in the mail about a cancellation. */
const page = {
  ...mailLinkPage(findKeepLinkMerchant),
  path: '/subscriptions/keep/{token}',
  errors: ['subscription_not_found', 'merchant_not_open'],
} as const;

export const keepLinkEndpoints = {
  showKeepLink: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a customer undoes a cancellation, without a password',
    handler: ({ params, request }) => show(params.token, request),
  }),
  submitKeepLink: endpoint({
    ...page,
    method: 'post',
    summary: 'Undoes the cancellation',
    handler: async ({ params: { token }, request }) => {
      if (!(await keepByLink(token))) return show(token, request);
      return redirectTo(`/subscriptions/keep/${token}`);
    },
  }),
};

async function show(token: string, request: RequestFacts) {
  const plan = await findKeptPlan(token);
  if (!plan) throw new AppError('subscription_not_found');
  return keptPlanPage(request, await homeOf(plan.merchantUuid, request), plan);
}
