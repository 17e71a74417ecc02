import { consumer, merchant, openToActors, signedInWith } from '../kit/auth';
import { Answer, endpoint } from '../kit/endpoint';
import { requestLanguage } from '../kit/pages/languages';
import { Invoice, InvoiceBytes, InvoicePath, Invoices, InvoicesQuery, OwnInvoicesQuery } from './invoices.schemas';
import * as invoices from './invoices';

export const invoiceEndpoints = {
  listOwnInvoices: endpoint({
    method: 'get',
    path: '/invoices',
    summary: 'List the account’s invoices and credit notes, newest first',
    auth: openToActors('payments:read', consumer()),
    query: OwnInvoicesQuery,
    status: 200,
    response: Invoices,
    errors: [],
    handler: ({ caller, query }) => invoices.listOwnInvoices(caller, query),
  }),
  listInvoices: endpoint({
    method: 'get',
    path: '/payments/invoices',
    summary: 'List and search the invoices and credit notes of the merchant’s customers, newest first',
    auth: merchant('payments:read'),
    query: InvoicesQuery,
    status: 200,
    response: Invoices,
    errors: [],
    handler: ({ caller, query }) => invoices.listInvoices(caller, query),
  }),
  getInvoice: endpoint({
    method: 'get',
    path: '/invoices/{number}',
    summary: 'Get an invoice or a credit note by its number, also for a merchant’s customers',
    auth: signedInWith('payments:read'),
    params: InvoicePath,
    status: 200,
    response: Invoice,
    errors: ['invoice_not_found'],
    handler: ({ caller, params }) => invoices.getInvoice(caller, params.number),
  }),
  getInvoiceDocument: endpoint({
    method: 'get',
    path: '/invoices/{number}/document',
    summary: 'Get an invoice or a credit note as a PDF in the language of its buyer',
    auth: signedInWith('payments:read'),
    params: InvoicePath,
    status: 200,
    response: InvoiceBytes,
    produces: 'application/pdf',
    errors: ['invoice_not_found'],
    handler: async ({ caller, params, request }) => {
      const { bytes, name } = await invoices.getInvoiceDocument(caller, params.number, requestLanguage(request));
      const headers = { 'Content-Disposition': `inline; filename="${name}"` };
      return new Answer(bytes, { contentType: 'application/pdf', headers });
    },
  }),
};
