import { halfOfThePagesIsRight } from './matrix';

halfOfThePagesIsRight(0);
