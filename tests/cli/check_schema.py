"""check_schema.py DIRECTORY SCHEMA [FILE ...] - validates every FILE, or standard input, by DIRECTORY/SCHEMA.json.
With - for SCHEMA, each line of standard input names a schema and a file. Prints a line for each invalid file. Also
checks that the schemas are valid, and that each of their objects is closed: an unknown key is an error."""
import json
import pathlib
import sys
import jsonschema

directory, name, files = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:] or ["/dev/stdin"]
schemas = {path.name: json.loads(path.read_text()) for path in directory.glob("*.json")}
for schema in schemas.values():
    jsonschema.Draft202012Validator.check_schema(schema)


def validator_of(name):
    schema = schemas[name + ".json"]
    try:
        import referencing
        contents = [(file, referencing.Resource.from_contents(text)) for file, text in schemas.items()]
        return jsonschema.Draft202012Validator(schema, registry=referencing.Registry().with_resources(contents))
    except ImportError:  # before version 4.18 of jsonschema
        resolver = jsonschema.RefResolver(base_uri=name + ".json", referrer=schema, store=schemas)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)


def refuse(constant):
    raise ValueError(constant + " is no JSON")


pairs = [line.split(maxsplit=1) for line in sys.stdin.read().splitlines()] if name == "-" else [(name, file) for file in files]
validators = {name: validator_of(name) for name, _ in pairs}
bad = 0
for name, file in pairs:
    try:
        value = json.loads(pathlib.Path(file).read_text(), parse_constant=refuse)
    except ValueError as error:
        print(file, "is no JSON:", error)
        bad += 1
        continue
    for error in validators[name].iter_errors(value):
        print(file, "/".join(map(str, error.absolute_path)) or "itself", error.message[:200])
        bad += 1
sys.exit(bad > 0)
