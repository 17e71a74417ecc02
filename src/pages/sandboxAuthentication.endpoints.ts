import { z } from 'zod';
import { anyone } from '../kit/auth';
import { Answer, endpoint, type Refusal } from '../kit/endpoint';
import { answerSandboxAuthentication, getSandboxAuthentication } from '../subscriptions/charges/answers';
import { plainHeaders } from './layout/plain';
import { refusalPage } from './customer/refusal';
import { answeredPage, authenticationPage, bankTheme } from './sandboxAuthentication';

const Reference = z.object({ reference: z.string().max(100) });

const refusal: Refusal = (error, _params, request) =>
  Promise.resolve(refusalPage(error, request, { theme: bankTheme(request) }));

const page = {
  path: '/sandbox/authenticate/{reference}',
  auth: anyone(),
  params: Reference,
  response: z.string(),
  produces: 'text/html',
  errors: ['payment_not_found'],
  refusal,
} as const;

export const sandboxAuthenticationEndpoints = {
  showSandboxAuthentication: endpoint({
    ...page,
    method: 'get',
    summary: "The sandbox's page where a test payer authenticates",
    status: 200,
    handler: async ({ params, request }) =>
      authenticationPage(request, await getSandboxAuthentication(params.reference)),
  }),
  answerSandboxAuthentication: endpoint({
    ...page,
    method: 'post',
    summary: "Sends a test payer's answer",
    body: z.object({ answer: z.enum(['approved', 'approved_once', 'refused']) }),
    status: 200,
    handler: async ({ params, body, request }) => {
      const returnUrl = await answerSandboxAuthentication(params.reference, body.answer, request.requestId);
      if (returnUrl === undefined) return answeredPage(request, params.reference, body.answer);
      const headers = { ...plainHeaders(), Location: returnUrl };
      return new Answer('', { contentType: 'text/html; charset=utf-8', headers, status: 303 });
    },
  }),
};
