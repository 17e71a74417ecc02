import { z } from 'zod';
import { page, Redirect } from '../../kit/pages/page';
import { emailForms, refusedEmail } from '../customer/emailChange';
import { attempt } from '../layout/explain';
import { textsFor } from '../layout/texts';
import { inOperator, securityPath } from './frame';
import { emailPath, securityPage } from './security';

/** The forms by which an operator requests another address, and cancels the request. */

const text = z.string().optional();

export const operatorEmailPages = {
  requestOperatorEmail: page({
    ...inOperator,
    method: 'post',
    path: emailPath,
    summary: 'Mails a link to a new address',
    form: z.object({ new_email: text, email_password: text }),
    handler: async (visit) => {
      const outcome = await attempt(textsFor(visit), () => emailForms.request(visit, visit.form));
      if ('done' in outcome) return new Redirect(`${securityPath}?done=emailSent`);
      return securityPage(visit, { email: refusedEmail(outcome.refused, visit.form) });
    },
  }),
  cancelOperatorEmail: page({
    ...inOperator,
    method: 'post',
    path: `${emailPath}/cancel`,
    summary: 'Cancels the change of the address',
    handler: async (visit) => {
      // A change that was confirmed or has ended meanwhile needs no error: the page shows the address.
      await attempt(textsFor(visit), () => emailForms.cancel(visit));
      return new Redirect(`${securityPath}?done=changed`);
    },
  }),
};
