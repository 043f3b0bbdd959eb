import { resource, type components } from '@/api';

export type Customer = components['schemas']['Customer'];

export const { list: readCustomers } = resource('/api/v1/customers');
