import { halfOfThePagesIsRight } from './matrix';

halfOfThePagesIsRight(1);
