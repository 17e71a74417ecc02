import { z } from 'zod';
import { anyone } from '../../kit/auth';
import { Answer, endpoint } from '../../kit/endpoint';
import { answerSandboxAuthentication, getSandboxAuthentication } from '../../subscriptions/charges/service';
import { answeredPage, authenticationPage } from './template';

const contentType = 'text/html; charset=utf-8';
// No `form-action`: browsers apply it to redirects as well, and the answer redirects to the merchant's own page.
const headers = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'" };

const Reference = z.object({ reference: z.string().max(100) });

const page = {
  path: '/sandbox/authenticate/{reference}',
  auth: anyone(),
  params: Reference,
  response: z.string(),
  produces: 'text/html',
  errors: ['payment_not_found'],
} as const;

export const sandboxAuthenticationEndpoints = {
  showSandboxAuthentication: endpoint({
    ...page,
    method: 'get',
    summary: "The sandbox's page where a test payer authenticates",
    status: 200,
    handler: async ({ params }) =>
      new Answer(authenticationPage(await getSandboxAuthentication(params.reference)), { contentType, headers }),
  }),
  answerSandboxAuthentication: endpoint({
    ...page,
    method: 'post',
    summary: "A test payer's answer",
    body: z.object({ answer: z.enum(['approved', 'refused']) }),
    status: 200,
    handler: async ({ params, body, request }) => {
      const returnUrl = await answerSandboxAuthentication(params.reference, body.answer, request.requestId);
      if (returnUrl === undefined) return new Answer(answeredPage(body.answer), { contentType, headers });
      return new Answer('', { contentType, headers: { ...headers, Location: returnUrl }, status: 303 });
    },
  }),
};
