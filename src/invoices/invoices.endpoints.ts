import { consumer, merchant, openToActors, signedInWith } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Invoice, InvoicePath, Invoices, InvoicesQuery, OwnInvoicesQuery } from './invoices.schemas';
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
};
