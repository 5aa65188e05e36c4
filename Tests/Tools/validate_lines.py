#!/usr/bin/env python3
"""Validate JSON lines of history against the published schema.

    validate_lines.py [--schema FILE] < LINES
    validate_lines.py [--schema FILE] --check-schema

Reads lines on standard input and checks of each: that it is one JSON object in clean UTF-8, without
a key twice; that it fits the schema; and that its keys stand in the order of the schema. The first
ten problems are reported on standard error; the exit status is 1 where there are any, 64 for wrong
use, else 0. --check-schema checks instead that the schema is valid JSON Schema 2020-12, that every
property in it has a title and a description, and that its own examples fit.
"""
import argparse
import json
import os
import re
import sys

try:
    from jsonschema import Draft202012Validator, validators
except ImportError:
    sys.exit("validate_lines: the Python package jsonschema, version 4 or newer, is missing; "
             "`make setup-test` installs it")

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "man", "histctl-json.schema.json")
MOST_PROBLEMS = 10


# JSON Schema takes 5.0 for an integer; here it would be another value than 5.
Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: type(value) is int))


class Problem(Exception):
    """What is wrong with a line."""


def parse(line):
    def members(pairs):
        result = dict(pairs)
        if len(result) != len(pairs):
            keys = [key for key, _ in pairs]
            raise Problem("the key %r is there twice"
                          % next(key for key in keys if keys.count(key) > 1))
        return result

    def constant(word):
        raise Problem("%s is not JSON" % word)

    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=members, parse_constant=constant)
    except UnicodeDecodeError as error:
        raise Problem("not UTF-8 at byte %d" % error.start) from None
    except json.JSONDecodeError as error:
        raise Problem("not JSON: %s" % error) from None
    except RecursionError:
        raise Problem("not JSON: nested too deep") from None


class QuickCheck:
    """The schema as nested functions that say yes or no, a hundred times faster than a library.

    It knows the keywords that the schema uses, and refuses to be made of any other.
    """

    SILENT = {"$schema", "$id", "$defs", "title", "description", "examples", "contentEncoding"}
    TYPES = {
        "object": lambda v: type(v) is dict, "array": lambda v: type(v) is list,
        "string": lambda v: type(v) is str, "boolean": lambda v: type(v) is bool,
        "integer": lambda v: type(v) is int, "number": lambda v: type(v) in (int, float),
        "null": lambda v: v is None,
    }

    def __init__(self, schema):
        self.root, self.definitions = schema, {}
        self.fits = self.check(schema)

    def check(self, schema):
        parts = [getattr(self, "check_" + keyword.lstrip("$"))(value, schema)
                 for keyword, value in schema.items() if keyword not in self.SILENT]
        parts = [part for part in parts if part]
        if len(parts) == 1:
            return parts[0]
        return lambda v: all(part(v) for part in parts)

    def check_ref(self, reference, _):
        name = reference.rpartition("/")[2]
        if name not in self.definitions:
            self.definitions[name] = self.check(self.root["$defs"][name])
        return self.definitions[name]

    def check_type(self, names, _):
        tests = [self.TYPES[name] for name in ([names] if type(names) is str else names)]
        return tests[0] if len(tests) == 1 else lambda v: any(test(v) for test in tests)

    def check_const(self, constant, _):
        return lambda v: v == constant and (type(v) is bool) == (type(constant) is bool)

    def check_enum(self, values, _):
        return lambda v: type(v) is str and v in values

    def check_pattern(self, pattern, _):
        search = re.compile(pattern).search
        return lambda v: type(v) is not str or search(v) is not None

    def check_minimum(self, least, _):
        return lambda v: type(v) not in (int, float) or v >= least

    def check_maximum(self, most, _):
        return lambda v: type(v) not in (int, float) or v <= most

    def check_required(self, keys, _):
        return lambda v: type(v) is not dict or all(key in v for key in keys)

    def check_minProperties(self, least, _):
        return lambda v: type(v) is not dict or len(v) >= least

    def check_properties(self, properties, schema):
        return self.check_members(properties, schema.get("additionalProperties", True))

    def check_additionalProperties(self, others, schema):
        return None if "properties" in schema else self.check_members({}, others)

    def check_members(self, properties, others):
        by_key = {key: self.check(value) for key, value in properties.items()}
        other = self.check(others) if type(others) is dict else lambda v: others
        return lambda v: type(v) is not dict or all(
            by_key.get(key, other)(value) for key, value in v.items())

    def check_items(self, schema, _):
        check = self.check(schema)
        return lambda v: type(v) is not list or all(map(check, v))

    def check_uniqueItems(self, _, __):
        return lambda v: type(v) is not list or len(set(map(repr, v))) == len(v)

    def check_anyOf(self, schemas, _):
        checks = [self.check(schema) for schema in schemas]
        return lambda v: any(check(v) for check in checks)

    def check_allOf(self, schemas, _):
        checks = [self.check(schema) for schema in schemas]
        return lambda v: all(check(v) for check in checks)

    def check_not(self, schema, _):
        check = self.check(schema)
        return lambda v: not check(v)

    def check_if(self, schema, outer):
        condition = self.check(schema)
        yes, no = self.check(outer.get("then", {})), self.check(outer.get("else", {}))
        return lambda v: yes(v) if condition(v) else no(v)

    def check_then(self, _, __):
        return None

    check_else = check_then


class Lines:
    """Checks lines: all quickly; the first, and those that do not fit, with the library."""

    FIRST = 20

    def __init__(self, schema):
        definitions = schema["$defs"]
        self.full, self.quick = Validator(schema), QuickCheck(schema)
        def order(definition):
            return {key: place for place, key in enumerate(definition["properties"])}
        # Lines by their type, and the changes inside the line of a transaction.
        self.order = {
            definition["properties"]["type"]["const"]: order(definition)
            for definition in definitions.values()
            if "const" in definition.get("properties", {}).get("type", {})}
        # A schema of reports has none.
        self.inner_order = order(definitions["change"]) if "change" in definitions else {}
        self.count = 0

    def problems(self, value):
        """What is wrong with a line's value, in words."""
        self.count += 1
        fits = self.quick.fits(value)
        if not fits or self.count <= self.FIRST:
            found = [self.words(error) for error in self.full.iter_errors(value)]
            if fits == bool(found):
                found.append("the line: the quick check and the library do not agree")
            if found:
                return found
        return list(self.disorder(value))

    @staticmethod
    def words(error):
        place = error.json_path[1:].lstrip(".") or "the line"
        return "%s: %s" % (place, error.message[:300])

    def disorder(self, value):
        if not in_order(value, self.order[value["type"]]):
            yield "the line: keys in the order %s" % ", ".join(value)
        changes = value.get("changes", ())
        # Lines that only count them have a number there.
        for index, change in enumerate(changes if isinstance(changes, list) else ()):
            if not in_order(change, self.inner_order):
                yield "changes[%d]: keys in the order %s" % (index, ", ".join(change))


def in_order(value, order):
    places = [order[key] for key in value]
    return places == sorted(places)


def check_lines(schema):
    checker, problems = Lines(schema), 0
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            if not line.endswith(b"\n"):
                raise Problem("no line feed at its end")
            found = checker.problems(parse(line))
        except Problem as problem:
            found = [str(problem)]
        for words in found:
            problems += 1
            print("line %d: %s" % (number, words), file=sys.stderr)
            if problems == MOST_PROBLEMS:
                print("more is not reported", file=sys.stderr)
                return 1
    return 1 if problems else 0


def undescribed(schema):
    """Places of properties without a title or a description, also behind one reference."""
    definitions = schema["$defs"]
    for name, part in definitions.items():
        parts = [("$defs/%s" % name, part)]
        parts += [("$defs/%s/properties/%s" % (name, key), value)
                  for key, value in part.get("properties", {}).items()]
        for where, value in parts:
            behind = definitions.get(value.get("$ref", "").rpartition("/")[2], {})
            for word in ("title", "description"):
                if word not in value and word not in behind:
                    yield "%s has no %s" % (where, word)


def check_schema(schema):
    Draft202012Validator.check_schema(schema)
    checker = Lines(schema)
    found = list(undescribed(schema))
    for index, example in enumerate(schema["examples"]):
        found += ["examples[%d]: %s" % (index, words) for words in checker.problems(example)]
    for words in found:
        print(words, file=sys.stderr)
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(
        description="Validate JSON lines of history on standard input.")
    parser.add_argument("--schema", default=SCHEMA, help="the schema to validate against")
    parser.add_argument("--check-schema", action="store_true", help="check the schema itself")
    try:
        options = parser.parse_args()
    except SystemExit as stop:
        sys.exit(64 if stop.code else 0)
    with open(options.schema, encoding="utf-8") as file:
        schema = json.load(file)
    sys.exit(check_schema(schema) if options.check_schema else check_lines(schema))


if __name__ == "__main__":
    main()
